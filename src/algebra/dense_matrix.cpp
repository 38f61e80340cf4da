#include "algebra/dense_matrix.hpp"

#include <algorithm>

#include "algebra/operations.hpp"
#include "algebra/polar_newton.hpp"
#include "algebra/product.hpp"

namespace rarefact {

DenseMatrix DensePolar::operator()(const DenseMatrix& matrix, const Workers& workers, const PolarHint& hint) {
  Matrix x = matrix.entries;
  // With nearly dependent embeddings a rounded zero would count as a direction.
  if (hint.mixed_columns && hint.left_null) x -= *hint.left_null * (hint.left_null->transpose() * x).eval();
  if (hint.mixed_columns && std::min(x.rows(), x.cols()) >= smallest_for_newton && x.allFinite()) {
    // With fewer columns than rows X can have full column rank even though uᵀX = 0.
    const Vector* null = x.cols() >= x.rows() ? hint.left_null.get() : nullptr;
    if (auto polar = newton_polar(x, workers, null)) return {std::move(*polar)};
  }
  Matrix polar = tracker_(x, {}, workers);
  // A class that was never drawn has a zero column without rounding noise, so the rank of W counts the drawn
  // columns.
  for (Index j = 0; j < x.cols(); ++j)
    if (x.col(j).isZero(0)) polar.col(j).setZero();
  return {std::move(polar)};
}

DenseMatrix multiplied(const DenseMatrix& x, const DenseMatrix& y, const Workers& workers) {
  return {product(x.entries, y.entries, workers)};
}

Vector multiplied(const DenseMatrix& x, const Vector& v) {
  return times(x.entries, v);
}

DenseMatrix transposed(const DenseMatrix& x) {
  return {x.entries.transpose()};
}

}  // namespace rarefact
