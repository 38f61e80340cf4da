#include "algebra/product.hpp"
#include "algebra/reducer.hpp"

namespace rarefact {

namespace {

/// The exact zeros of every sum.
Vector sums_of_terms(const Vector& sums, const Vector& sizes) {
  return sums.binaryExpr(sizes, [](double sum, double size) { return sum_of_terms(sum, size); });
}

/// Columns are walked in memory's order, also where the result runs along the rows.
Vector of_rows(const Matrix& x, Measured how) {
  Vector largest = Vector::Zero(x.rows()), sums = largest;
  for (const auto& column : x.colwise()) {
    largest = how == Measured::sum ? Vector(largest + column.cwiseAbs())
                                   : Vector(largest.binaryExpr(column.cwiseAbs(), larger));
    if (how == Measured::sum) sums += column;
  }
  if (how == Measured::sum) return sums_of_terms(sums, largest);
  if (how == Measured::largest) return largest;
  const Vector unit = largest.unaryExpr([](double most) { return most > 0 ? most : 1; });
  for (const auto& column : x.colwise()) sums.array() += (column.array() / unit.array()).square();
  return unit.cwiseProduct(sums.cwiseSqrt());
}

double of_all(const Matrix& x, Measured how) {
  if (x.size() == 0) return 0;
  switch (how) {
    case Measured::sum:
      return sum_of_terms(x.sum(), x.cwiseAbs().sum());
    case Measured::euclidean:
      return safe_norm(x);
    case Measured::largest:
      return x.cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
  }
  return 0;
}

}  // namespace

Vector measured(const DenseMatrix& x, Side along, Measured how) {
  if (along == Side::rows) return of_rows(x.entries, how);
  Vector result(x.entries.cols());
  for (Index j = 0; j < result.size(); ++j) result(j) = of_all(x.entries.col(j), how);
  return result;
}

double measured(const DenseMatrix& x, Measured how) {
  return of_all(x.entries, how);
}

double measured(const Vector& v, const DenseMatrix&, Side, Measured how) {
  return of_all(v, how);
}

double inner(const DenseMatrix& x, const DenseMatrix& y) {
  const auto terms = x.entries.cwiseProduct(y.entries);
  return sum_of_terms(terms.sum(), terms.cwiseAbs().sum());
}

double trace(const DenseMatrix& x) {
  return of_all(x.entries.diagonal(), Measured::sum);
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

std::optional<DenseMatrix> leading_part(const DenseMatrix& x, Index r, const Workers& workers) {
  if (!finite_entries(x)) return no_numbers(x);
  const RankedSvd<double> svd = ranked_svd<double>(x.entries, {}, workers);
  if (r >= svd.rank()) return x;
  if (r > 0 && !(svd.sigma(r - 1) - svd.sigma(r) >= least_gap * svd.sigma(r - 1))) return std::nullopt;
  return DenseMatrix{leading_triples(x.entries, svd, r, workers)};
}

}  // namespace rarefact
