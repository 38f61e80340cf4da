#pragma once

/// Eigen's one-sided Jacobi decomposition, compiled once for all tests: many use it, and it compiles slowly.

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
Svd svd(const rarefact::Matrix& x);

}  // namespace reference
