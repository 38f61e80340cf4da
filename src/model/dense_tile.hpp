#pragma once

/// Scratch for a tile of columns; private to the dense layout.

#include "core/types.hpp"

namespace rarefact::dense_tile {

/// The contents of a buffer: logits or residuals; gathered columns; W times these; changes of logits; Ẽ times residuals.
enum class Holding { logits, gathered, half, changes, pushed };

/// A buffer of the thread, uninitialised; a tile needs up to four at once. It is an Eigen matrix, because the
/// alignment decides in which order Eigen sums a column: with the alignment of Eigen matrices and tiles that
/// begin at multiples of 8, this order depends only on the class.
template <Holding holding, class Real = double>
Eigen::Map<MatrixOf<Real>> scratch(Index rows, Index columns) {
  static thread_local VectorOf<Real> numbers;
  if (numbers.size() < rows * columns) numbers.resize(rows * columns);
  return {numbers.data(), rows, columns};
}

}  // namespace rarefact::dense_tile
