#pragma once

/// Symmetric products in tiles, and passes over all entries of a matrix, with bytes
/// independent of the number of threads.

#include <algorithm>

#include "algebra/product.hpp"

namespace rarefact {

/// A B if it is known to be symmetric, at half the cost.
Matrix symmetric_product(const MatrixView<double>& a, const MatrixView<double>& b, const Workers& workers);

/// AᵀA.
inline Matrix gram(const MatrixView<double>& a, const Workers& workers) {
  return symmetric_product(a.transposed(), a, workers);
}

namespace matrix_passes {

/// Calls body(first column, columns) for blocks of columns of a matrix; for passes that are limited by memory
/// bandwidth.
template <class Body>
void for_columns(Index columns, const Workers& workers, const Body& body) {
  const Index at_once = 32;
  workers.for_tiles(columns, at_once, [&](Index begin, Index end) { body(begin, end - begin); });
}

template <class To, class From>
MatrixOf<To> cast(const MatrixOf<From>& x, const Workers& workers) {
  MatrixOf<To> y(x.rows(), x.cols());
  for_columns(x.cols(), workers, [&](Index begin, Index count) {
    y.middleCols(begin, count) = x.middleCols(begin, count).template cast<To>();
  });
  return y;
}

inline Matrix transposed(const Matrix& x, const Workers& workers) {
  Matrix y(x.cols(), x.rows());
  const Index at_once = 32;
  for_columns(x.rows(), workers, [&](Index begin, Index count) {
    for (Index i = 0; i < x.cols(); i += at_once) {
      const Index rows = std::min(at_once, x.cols() - i);
      y.block(i, begin, rows, count) = x.block(begin, i, count, rows).transpose();
    }
  });
  return y;
}

inline Matrix scaled(const Matrix& x, double factor, const Workers& workers) {
  Matrix y(x.rows(), x.cols());
  for_columns(x.cols(), workers, [&](Index begin, Index count) {
    y.middleCols(begin, count) = factor * x.middleCols(begin, count);
  });
  return y;
}

}  // namespace matrix_passes
}  // namespace rarefact
