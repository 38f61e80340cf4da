#pragma once

/// Eigen's decompositions, compiled once for all tests: many use them, and they compile slowly.

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

/// Orthonormal columns that span those of X, by Householder reflections; X has no more columns than rows.
rarefact::Matrix orthonormal(const rarefact::Matrix& x);

/// The shortest x of least |A x - b|.
rarefact::Vector least_squares(const rarefact::Matrix& a, const rarefact::Vector& b);

}  // namespace reference
