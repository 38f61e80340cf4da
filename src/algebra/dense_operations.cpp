#include "algebra/operations.hpp"
#include "algebra/product.hpp"

namespace rarefact {

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
  if (r > 0 && !(svd.sigma(r - 1) - svd.sigma(r) >= min_gap * svd.sigma(r - 1))) return std::nullopt;
  return DenseMatrix{leading_triples(x.entries, svd, r, workers)};
}

}  // namespace rarefact
