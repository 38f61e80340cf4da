#pragma once

/// Matrix products whose bytes do not depend on the number of threads.

#include "rarefact/core/parallel.hpp"
#include "rarefact/core/types.hpp"

namespace rarefact {

/// A B, cut into tiles of result columns of fixed width; every tile is one single-threaded product.
template <class Left, class Right>
MatrixOf<typename Left::Scalar> product(const Eigen::MatrixBase<Left>& a, const Eigen::MatrixBase<Right>& b,
                                        const Workers& workers) {
  using Real = typename Left::Scalar;
  MatrixOf<Real> result(a.rows(), b.cols());
  const Index tile = 96;  // wide enough for the kernel's full rate, narrow enough to share 526 columns evenly
  workers.for_tiles(b.cols(), tile, [&](Index begin, Index end) {
    result.middleCols(begin, end - begin).noalias() = a * b.middleCols(begin, end - begin);
  });
  return result;
}

}  // namespace rarefact
