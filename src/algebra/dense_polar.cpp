#include "rarefact/algebra/dense_polar.hpp"

#include <algorithm>
#include <cmath>

#include "rarefact/algebra/polar_halley.hpp"

namespace rarefact {

namespace {

/// H = I - w wᵀ with H u = ±e_1, for a unit u; w has length √2.
Vector reflector(const Vector& u) {
  Vector w = u;
  w(0) += u(0) < 0 ? -1 : 1;
  return w * (std::sqrt(2.0) / w.norm());
}

std::optional<Matrix> tall_or_wide(const Matrix& x, const Workers& workers) {
  if (x.rows() >= x.cols()) return halley_polar(x, workers);
  auto polar = halley_polar(x.transpose(), workers);
  if (polar) polar = Matrix(polar->transpose());
  return polar;
}

}  // namespace

std::optional<Matrix> full_rank_polar(const Matrix& x, const Vector* left_null, const Workers& workers) {
  // Wide enough, a matrix may be of full column rank all the same.
  if (!left_null || x.cols() < x.rows()) return tall_or_wide(x, workers);
  const Vector w = reflector(*left_null);
  Matrix reflected = x;
  reflected.noalias() -= w * (x.transpose() * w).transpose();
  const auto rest = tall_or_wide(reflected.bottomRows(x.rows() - 1), workers);
  if (!rest) return std::nullopt;
  Matrix polar(x.rows(), x.cols());
  polar.row(0).setZero();
  polar.bottomRows(x.rows() - 1) = *rest;
  polar.noalias() -= w * (polar.transpose() * w).transpose();
  return polar;
}

DenseMatrix DensePolar::operator()(const DenseMatrix& matrix, const Workers& workers, const PolarHint& hint) {
  const Matrix& x = matrix.entries;
  if (hint.mixed_columns && std::min(x.rows(), x.cols()) >= smallest_for_halley && x.allFinite()) {
    if (auto polar = full_rank_polar(x, hint.left_null.get(), workers)) return {std::move(*polar)};
  }
  return {tracker_(x, {}, workers)};
}

}  // namespace rarefact
