#pragma once

/// Room for a tile of columns of the dense layout; for its sources alone.

#include "core/types.hpp"

namespace rarefact::dense_tile {

/// A matrix of the thread, large enough; its contents are nobody's. A tile needs up to four at once. Eigen's
/// own storage, because where it begins in memory decides in which order Eigen adds up a column: aligned as
/// any matrix is, and with tiles that begin at multiples of 8, that order is a function of the class alone.
template <int which, class Real = double>
Eigen::Map<MatrixOf<Real>> scratch(Index rows, Index columns) {
  static thread_local VectorOf<Real> numbers;
  if (numbers.size() < rows * columns) numbers.resize(rows * columns);
  return {numbers.data(), rows, columns};
}

}  // namespace rarefact::dense_tile
