#include "algebra/ranked_svd.hpp"

#include <algorithm>
#include <numeric>

#include "algebra/product.hpp"
#include "core/real50.hpp"

namespace rarefact {

namespace {

/// Sorts the triples in descending order.
template <class Real>
RankedSvd<Real> descending(const RankedSvd<Real>& svd) {
  std::vector<Index> order(static_cast<std::size_t>(svd.rank()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return svd.sigma(a) > svd.sigma(b); });
  RankedSvd<Real> result = svd;
  for (Index i = 0; i < svd.rank(); ++i) {
    const Index from = order[i];
    result.u.col(i) = svd.u.col(from);
    result.v.col(i) = svd.v.col(from);
    result.sigma(i) = svd.sigma(from);
  }
  return result;
}

}  // namespace

template <class Real>
RankedSvd<Real> ranked_svd(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms,
                           const Workers& workers) {
  const SingularBasis<Real> basis = range_basis<Real>(x, reference_norms);
  const Index rank = basis.rank();
  RankedSvd<Real> svd{basis.u, VectorOf<Real>(rank), basis.v};
  const MatrixOf<Real> image = product(x, svd.v, workers);
  for (Index i = 0; i < rank; ++i) svd.sigma(i) = safe_norm(image.col(i));
  return descending(svd);
}

template <class Real>
MatrixOf<Real> mapped_singular_values(const RankedSvd<Real>& svd, const SpectralMap<Real>& f,
                                      const Workers& workers) {
  MatrixOf<Real> left = svd.u;
  for (Index i = 0; i < svd.rank(); ++i) left.col(i) *= f(svd.sigma(i));
  return product(left, svd.v.transpose(), workers);
}

template <class Real>
MatrixOf<Real> leading_triples(const MatrixOf<Real>& x, const RankedSvd<Real>& svd, Index r,
                               const Workers& workers) {
  const auto v = svd.v.leftCols(r);
  return product(product(x, v, workers), v.transpose(), workers);
}

template RankedSvd<double> ranked_svd(const Matrix&, const Vector&, const Workers&);
template RankedSvd<Real50> ranked_svd(const MatrixOf<Real50>&, const VectorOf<Real50>&, const Workers&);
template Matrix mapped_singular_values(const RankedSvd<double>&, const SpectralMap<double>&, const Workers&);
template MatrixOf<Real50> mapped_singular_values(const RankedSvd<Real50>&, const SpectralMap<Real50>&,
                                                 const Workers&);
template Matrix leading_triples(const Matrix&, const RankedSvd<double>&, Index, const Workers&);
template MatrixOf<Real50> leading_triples(const MatrixOf<Real50>&, const RankedSvd<Real50>&, Index,
                                          const Workers&);

}  // namespace rarefact
