#pragma once

/// Loops over whole vectors of the processor, for columns that are padded with zeros: they need no remainders, and
/// rounding does not depend on where a column begins.

#include <algorithm>
#include <array>

#include "core/types.hpp"

namespace rarefact {

inline constexpr Index lanes = 4;

inline Index padded(Index rows) {
  return (rows + lanes - 1) / lanes * lanes;
}
/// The first row of the vector with the given row.
inline Index lane_begin(Index row) {
  return row / lanes * lanes;
}

/// The vector at x, which must be aligned.
template <class Real>
auto at(Real* x) {
  using Scalar = std::remove_const_t<Real>;
  using Lanes = Eigen::Array<Scalar, lanes, 1>;
  return Eigen::Map<std::conditional_t<std::is_const_v<Real>, const Lanes, Lanes>, Eigen::Aligned32>(x);
}

/// X with rows of zeros appended, so that every column is aligned, and with columns of zeros.
template <class Real>
MatrixOf<Real> with_padding(const MatrixOf<Real>& x, Index more_columns) {
  MatrixOf<Real> result = MatrixOf<Real>::Zero(padded(x.rows()), x.cols() + more_columns);
  for (Index j = 0; j < x.cols(); ++j) std::copy_n(x.col(j).data(), x.rows(), result.col(j).data());
  return result;
}

/// One vector, and as many columns as it has numbers.
template <class Real>
using Lanes = Eigen::Array<Real, lanes, 1>;
template <class Real>
using LaneColumns = std::array<Real*, lanes>;

/// Σ x_i y_i for every column y, over rows begin to end, which are multiples of `lanes`.
template <class Real>
Lanes<Real> dots(const Real* x, const LaneColumns<Real>& columns, Index begin, Index end) {
  std::array<Lanes<Real>, lanes> sums;
  for (Lanes<Real>& sum : sums) sum.setZero();
  for (Index i = begin; i < end; i += lanes) {
    for (Index c = 0; c < lanes; ++c) sums[c] += at(x + i) * at(columns[c] + i);
  }
  return {sums[0].sum(), sums[1].sum(), sums[2].sum(), sums[3].sum()};
}

/// column += factor x, for every column.
template <class Real>
void add_multiples(const LaneColumns<Real>& columns, const Lanes<Real>& factors, const Real* x, Index begin,
                   Index end) {
  for (Index i = begin; i < end; i += lanes) {
    const Lanes<Real> part = at(x + i);
    for (Index c = 0; c < lanes; ++c) at(columns[c] + i) += factors(c) * part;
  }
}

}  // namespace rarefact
