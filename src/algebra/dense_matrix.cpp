#include "algebra/dense_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "algebra/polar_newton.hpp"

namespace rarefact {

namespace {

/// H = I - w wᵀ with H u = ±e_1, for a unit u; w has length √2.
Vector reflector(const Vector& u) {
  Vector w = u;
  w(0) += u(0) < 0 ? -1 : 1;
  return w * (std::sqrt(2.0) / w.norm());
}

/// msgn(X) of a matrix with mixed columns; nullopt if it has a null vector besides the known one.
std::optional<Matrix> full_rank_polar(const Matrix& x, const Vector* left_null, const Workers& workers) {
  // With fewer columns than rows X can have full column rank even though uᵀX = 0.
  if (!left_null || x.cols() < x.rows()) return newton_polar(x, workers);
  const Vector w = reflector(*left_null);
  const Index rest = x.rows() - 1, at_once = 32;
  // H X without its first row, which is zero.
  Matrix reflected(rest, x.cols());
  workers.for_tiles(x.cols(), at_once, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j)
      reflected.col(j) = x.col(j).tail(rest) - w.dot(x.col(j)) * w.tail(rest);
  });
  const auto found = newton_polar(reflected, workers);
  if (!found) return std::nullopt;
  Matrix polar(x.rows(), x.cols());
  workers.for_tiles(x.cols(), at_once, [&](Index begin, Index end) {
    for (Index j = begin; j < end; ++j) {
      const double part = w.tail(rest).dot(found->col(j));
      polar(0, j) = -part * w(0);
      polar.col(j).tail(rest) = found->col(j) - part * w.tail(rest);
    }
  });
  return polar;
}

}  // namespace

DenseMatrix DensePolar::operator()(const DenseMatrix& matrix, const Workers& workers, const PolarHint& hint) {
  Matrix x = matrix.entries;
  // With nearly dependent embeddings a rounded zero would count as a direction.
  if (hint.mixed_columns && hint.left_null) x -= *hint.left_null * (hint.left_null->transpose() * x).eval();
  if (hint.mixed_columns && std::min(x.rows(), x.cols()) >= smallest_for_newton && x.allFinite()) {
    if (auto polar = full_rank_polar(x, hint.left_null.get(), workers)) return {std::move(*polar)};
  }
  Matrix polar = tracker_(x, {}, workers);
  // A class that was never drawn has a zero column without rounding noise, so the rank of W counts the drawn
  // columns.
  for (Index j = 0; j < x.cols(); ++j)
    if (x.col(j).isZero(0)) polar.col(j).setZero();
  return {std::move(polar)};
}

}  // namespace rarefact
