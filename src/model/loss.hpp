#pragma once

/// Losses that training can minimise.

#include <cmath>

#include "rarefact/catalogue.hpp"

namespace rarefact {

/// A row of the catalogue of losses; `formula` is L.
struct LossRow : CatalogueRow {
  /// A loss of W x and its answer y (LeastSquares), not of logits: no p̂, errors or margins. The
  /// other loss is the cross-entropy of p̂ and any answer distribution.
  bool of_outputs = false;
};

/// softmax, least_squares.
const std::vector<LossRow>& loss_catalogue();

/// Precondition: there is a row of that name.
const LossRow& loss_row(const std::string& name);

/// The data of least squares: the distribution of a query x and its answer y, which W x predicts.
///
///     vector     L(W) = ½ E‖y - W x‖²
///     bilinear   L(W) = ½ E(y - uᵀ W x)²,   y = uᵀ W* x + σ_y ξ,   u standard normal
///
///     facts      x = μ E_l + σ z, y = Ẽ_k, l ~ p, k ~ π(.|l), z standard normal
///     gaussian   x normal with covariance E P Eᵀ + σ² I, y = W* x + σ_y ξ; then μ = 1
///
/// W* = Ẽ diag(c (l+q)^-β) Eᵀ (aligned), or W* E_l of length c (l+q)^-β in uniform random directions (random), l the rank
/// of a class.
struct LeastSquares {
  std::string measurement = "vector";  ///< vector | bilinear
  std::string queries = "facts";       ///< facts | gaussian
  double query_scale = 1;              ///< μ > 0
  double query_noise = 0;              ///< σ >= 0
  double answer_noise = 0;             ///< σ_y >= 0
  std::string directions = "aligned";  ///< of the target: aligned | random
  double exponent = 0;                 ///< β
  double shift = 0;                    ///< q > -1
  double scale = 1;                    ///< c

  bool gaussian() const { return queries == "gaussian"; }
  bool bilinear() const { return measurement == "bilinear"; }
  bool random_target() const { return gaussian() && directions == "random"; }
  /// c (l+q)^-β.
  double length_of(double rank) const { return scale * std::pow(rank + shift, -exponent); }
  bool operator==(const LeastSquares&) const = default;
};

}  // namespace rarefact
