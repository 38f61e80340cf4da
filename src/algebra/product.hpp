#pragma once

/// Matrix products whose bytes depend neither on the number of threads nor on the processor.

#include "algebra/packed_factor.hpp"
#include "core/parallel.hpp"
#include "core/types.hpp"

namespace rarefact {

/// The numbers behind a matrix, a block of columns or rows of one, or a transpose of those.
template <class Dense>
MatrixView<typename Dense::Scalar> view_of(const Dense& x) {
  return {x.data(), x.rows(), x.cols(), x.rowStride(), x.colStride()};
}

namespace product_detail {

template <class Expression>
inline constexpr bool in_memory = (Expression::Flags & Eigen::DirectAccessBit) != 0;

/// The expression itself where it is in memory, its value otherwise.
template <class Expression>
decltype(auto) materialised(const Eigen::MatrixBase<Expression>& x) {
  if constexpr (in_memory<Expression>) {
    return (x.derived());
  } else {
    return MatrixOf<typename Expression::Scalar>(x);
  }
}

}  // namespace product_detail

/// A B in tiles of result columns. Products of less than a few thousand terms are Eigen's.
template <class Left, class Right>
MatrixOf<typename Left::Scalar> product(const Eigen::MatrixBase<Left>& a, const Eigen::MatrixBase<Right>& b,
                                        const Workers& workers) {
  using Real = typename Left::Scalar;
  MatrixOf<Real> result(a.rows(), b.cols());
  if constexpr (std::is_same_v<Real, double> || std::is_same_v<Real, float>) {
    const Index small = 16;
    if (a.rows() > small && b.cols() > small && a.cols() > small) {
      const auto& left = product_detail::materialised(a);
      const auto& right = product_detail::materialised(b);
      const PackedFactor<Real> factor(view_of(left), workers);
      const MatrixView<Real> columns = view_of(right);
      workers.for_tiles(b.cols(), product_tile(b.cols(), workers.threads()), [&](Index begin, Index end) {
        factor.times(columns.middle_columns(begin, end - begin), result.col(begin).data(), result.rows());
      });
      return result;
    }
  }
  const Index tile = 96;
  workers.for_tiles(b.cols(), tile, [&](Index begin, Index end) {
    result.middleCols(begin, end - begin).noalias() = a * b.middleCols(begin, end - begin);
  });
  return result;
}

}  // namespace rarefact
