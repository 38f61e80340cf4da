#pragma once

/// Approximations of the exact polar factor, and the smoothed one.
///
/// In practice one computes a few steps of an odd quintic
///
///   X <- a X + b (X Xᵀ) X + c (X Xᵀ)² X,     X_0 = B / (f ‖B‖_F + δ),
///
/// which maps every singular value σ of X to a σ + b σ³ + c σ⁵ and leaves the singular vectors unchanged. A
/// singular value far below ‖B‖_F is multiplied by the product of the a. There is no rank decision: rounding
/// noise in the null space grows by the same factor.
///
/// The smoothed polar factor suppresses small singular values: h_λ(B) = U Σ (Σ² + λ²)^-½ Vᵀ of B = U Σ Vᵀ
/// (kim2026). It is the upper block of msgn of the stacked matrix [B; λI], whose singular values are (σ² +
/// λ²)^½: full rank, and never worse conditioned than B. The rounding noise of a zero singular value, eps
/// σ_max, becomes eps σ_max/λ, because h_λ has the slope 1/λ.

#include <array>
#include <string>
#include <vector>

#include "algebra/algebra.hpp"

namespace rarefact {

/// (a, b, c) of one step.
using Quintic = std::array<double, 3>;

/// a σ + b σ³ + c σ⁵.
inline double value_at(const Quintic& q, double sigma) {
  const double square = sigma * sigma;
  return sigma * (q[0] + square * (q[1] + square * q[2]));
}

struct PolarPolynomial {
  std::vector<Quintic> steps;
  double norm_factor = 1;     ///< f
  double norm_offset = 1e-7;  ///< δ, in the unit of B: an absolute number

  auto operator<=>(const PolarPolynomial&) const = default;
};

/// Newton-Schulz as Muon runs it: (3.4445, -4.7750, 2.0315) every time. Singular values above about 1/500 of
/// ‖B‖_F end in about [0.7, 1.2] after 5 steps; they do not converge to 1.
const Quintic& newton_schulz_step();
/// Polar Express (arXiv 2505.16932): the ten optimal quintics for singular values in [1e-3, 1]; f = 1.01.
const std::vector<Quintic>& polar_express_steps();
inline constexpr double polar_express_norm_factor = 1.01;

inline constexpr std::size_t newton_schulz_default_steps = 5;
/// More steps than any useful polynomial needs to converge.
inline constexpr double max_polar_steps = 1000;

/// The first `number` steps of the list, where the last one repeats beyond the end. Precondition: the list is
/// not empty.
std::vector<Quintic> taken_steps(const std::vector<Quintic>& list, std::size_t number);

/// The polynomial on every irreducible part, with the norm of the whole matrix. B is `x` x 2^exponent; the
/// unit matters, because δ is absolute. Zero gives zero. M is dense or symmetric.
template <class M>
M polar_polynomial(const PolarPolynomial& polynomial, const M& x, int exponent, const Workers& workers);

/// The same on diagonal matrices (wrong = 0) and rows.
ColumnMatrix polar_polynomial(const PolarPolynomial& polynomial, const ColumnMatrix& x, int exponent,
                              const Workers& workers);

/// Why `image`, polar_polynomial of x != 0, is far from a polar factor: δ is above f ‖B‖_F, or almost all of
/// X_0 lies in singular values that the steps only multiply (by the product of the a). Empty if it is close.
template <class M>
std::string shortfall(const PolarPolynomial& polynomial, const M& x, int exponent, const M& image);

/// h_λ on every irreducible part. B is `x` x 2^exponent; the unit matters, because λ = `smoothing` >= 0 is
/// absolute. λ = 0 is msgn.
template <class M>
M smoothed_polar(const M& x, double smoothing, int exponent, const Workers& workers);

/// The same on diagonal matrices (wrong = 0) and rows.
ColumnMatrix smoothed_polar(const ColumnMatrix& x, double smoothing, int exponent, const Workers& workers);

}  // namespace rarefact
