#pragma once

/// Eigen's singular values, and what follows from them, compiled once for all tests: they compile slowly.

#include "core/types.hpp"

namespace reference {

/// X = U diag(values) Vᵀ, values descending, as many as the shorter side.
struct Svd {
  rarefact::Matrix u, v;
  rarefact::Vector values;

  /// U_r V_rᵀ over the `rank` largest values.
  rarefact::Matrix polar(rarefact::Index rank) const {
    return u.leftCols(rank) * v.leftCols(rank).transpose();
  }
};
/// By one-sided Jacobi rotations.
Svd svd(const rarefact::Matrix& x);

/// msgn X by the singular values above 1e-11 of the largest.
rarefact::Matrix polar(const rarefact::Matrix& x);

/// Orthonormal columns that span those of X, which has no more columns than rows.
rarefact::Matrix orthonormal(const rarefact::Matrix& x);

/// The shortest X of least |A X - B|.
rarefact::Matrix least_squares(const rarefact::Matrix& a, const rarefact::Matrix& b);

}  // namespace reference
