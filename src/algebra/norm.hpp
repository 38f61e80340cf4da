#pragma once

#include <cmath>

#include "core/types.hpp"

namespace rarefact {

/// Euclidean norm of all entries without overflow or underflow of their squares. Eigen's stableNorm does the
/// same but asks more of a scalar type than Boost.Multiprecision's numbers offer.
template <class Derived>
typename Derived::Scalar safe_norm(const Eigen::MatrixBase<Derived>& x) {
  using Real = typename Derived::Scalar;
  if (x.size() == 0) return Real(0);
  const Real largest = x.cwiseAbs().maxCoeff();
  if (!(largest > Real(0))) return largest;  // zero, or not a number
  return largest * (x / largest).norm();
}

}  // namespace rarefact
