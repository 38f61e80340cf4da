#include "algebra/dense_matrix.hpp"

#include <algorithm>

#include "algebra/operations.hpp"
#include "algebra/polar_newton.hpp"
#include "algebra/product.hpp"

namespace rarefact {

DenseMatrix DensePolar::operator()(const DenseMatrix& matrix, const Workers& workers, const PolarHint& hint,
                                   const std::function<void(Matrix&, const Vector&)>& before) {
  Matrix x = matrix.entries;
  // With nearly dependent embeddings a rounded zero would count as a direction.
  if (hint.mixed_columns && hint.left_null) x -= *hint.left_null * (hint.left_null->transpose() * x).eval();
  if (before) before(x, column_norms(x));
  // With fewer columns than rows X can have full column rank even though uᵀX = 0.
  const Vector* null = x.cols() >= x.rows() ? hint.left_null.get() : nullptr;
  const Index smaller = std::min(x.rows(), x.cols()),
              max_rank = std::min(hint.known_rank, hint.mixed_columns ? hint.max_rank : any_rank);
  if (hint.mixed_columns && smaller >= smallest_for_newton && smaller - 1 <= max_rank && x.allFinite()) {
    if (auto polar = newton_polar(x, workers, {null, true, max_rank}, &seen_.least)) {
      seen_ = {std::round(polar->squaredNorm()), false, seen_.least};
      return {std::move(*polar)};
    }
  }
  Matrix polar = tracker_(x, {}, workers, max_rank);
  seen_ = {0, false, tracker_.least()};
  // A class that was never drawn has a zero column without rounding noise, so the rank of W counts the drawn
  // columns.
  for (Index j = 0; j < x.cols(); ++j)
    if (x.col(j).isZero(0)) polar.col(j).setZero(), seen_.zero_columns = true;
  seen_.rank = std::round(polar.squaredNorm());
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
