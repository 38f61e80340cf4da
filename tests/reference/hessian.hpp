#pragma once

/// The Hessian of the loss written out, (d_in d_out) x (d_in d_out), from logits by the definition of
/// softmax.

#include "core/types.hpp"

namespace reference {

/// Of vec W, columns below each other. `weight` is that of every column: p, or n_l/B.
inline rarefact::Matrix hessian(const rarefact::Matrix& w, const rarefact::Matrix& query,
                                const rarefact::Matrix& answer, const rarefact::Vector& weight) {
  using rarefact::Index, rarefact::Matrix, rarefact::Vector;
  const Index rows = answer.rows(), columns = query.rows();
  Matrix h = Matrix::Zero(rows * columns, rows * columns);
  for (Index l = 0; l < query.cols(); ++l) {
    Vector probability = (answer.transpose() * w * query.col(l)).array().exp();
    probability /= probability.sum();
    const Matrix curvature =
        weight(l) * (Matrix(probability.asDiagonal()) - probability * probability.transpose());
    const Matrix block = answer * curvature * answer.transpose();
    for (Index i = 0; i < columns; ++i) {
      for (Index j = 0; j < columns; ++j)
        h.block(i * rows, j * rows, rows, rows) += query(i, l) * query(j, l) * block;
    }
  }
  return h;
}

}  // namespace reference
