#pragma once

/// Tiles of columns, as the dense memory takes them.

#include <algorithm>

#include "algebra/packed_factor.hpp"

namespace rarefact::dense_tile {

/// Columns whose logits a thread holds at a time: what a product likes, but a few million numbers at most; a
/// multiple of 8 unless one tile has them all.
inline Index width(Index columns, Index rows, int threads) {
  const Index most_entries = Index{1} << 23;
  return std::min(product_tile(columns, threads), std::max<Index>(16, most_entries / rows / 8 * 8));
}

/// A matrix of the thread, large enough; its contents are nobody's. A tile needs up to four at once. Eigen's
/// own storage, because where it begins in memory decides in which order Eigen adds up a column: aligned as
/// any matrix is, and with tiles that begin at multiples of 8, that order is a function of the class alone.
template <int which>
Eigen::Map<Matrix> scratch(Index rows, Index columns) {
  static thread_local Vector numbers;
  if (numbers.size() < rows * columns) numbers.resize(rows * columns);
  return {numbers.data(), rows, columns};
}

}  // namespace rarefact::dense_tile
