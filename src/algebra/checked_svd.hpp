#pragma once

/// Eigen's divide-and-conquer SVD with its result checked. About once in ten thousand matrices Eigen 3.4
/// returns, without notice, singular values and vectors that are per cents off (tests/sim/svd_slip.cpp has
/// one), so nothing it says is taken on trust.

#include <Eigen/SVD>
#include <optional>

#include "core/types.hpp"

namespace rarefact {

struct Svd {
  Matrix u, v;
  Vector sigma;
};

/// R = U Σ Vᵀ of a matrix with no more rows than columns, σ descending; nothing where |R V - U Σ| is more
/// than rounding.
std::optional<Svd> checked_svd(const Matrix& r);

/// The singular values alone, descending; nothing where Σσ² or Σσ⁴ is not ‖R‖² or ‖RᵀR‖² to rounding.
std::optional<Vector> checked_singular_values(const Matrix& r);

}  // namespace rarefact
