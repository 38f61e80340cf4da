#include "algebra/ranked_svd.hpp"

#include "algebra/product.hpp"
#include "core/real50.hpp"
#include "core/sorted_order.hpp"

namespace rarefact {

template <class Real>
RankedSvd<Real> ranked_svd(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms,
                           const Workers& workers, Index max_rank) {
  const SingularBasis<Real> basis = range_basis<Real>(x, reference_norms, max_rank);
  const Index rank = basis.rank();
  const MatrixOf<Real> image = product(x, basis.v, workers);
  VectorOf<Real> sigma(rank);
  for (Index i = 0; i < rank; ++i) sigma(i) = safe_norm(image.col(i));
  // Jacobi rotations leave the triples unsorted.
  const auto order = sorted_order(rank, [&](Index a, Index b) { return sigma(a) > sigma(b); });
  return {basis.u(Eigen::all, order), sigma(order), basis.v(Eigen::all, order)};
}

template <class Real>
MatrixOf<Real> mapped_singular_values(const RankedSvd<Real>& svd, const SpectralMap<Real>& f,
                                      const Workers& workers) {
  MatrixOf<Real> left = svd.u;
  for (Index i = 0; i < svd.rank(); ++i) left.col(i) *= f(svd.sigma(i));
  return product(left, svd.v.transpose(), workers);
}

template RankedSvd<double> ranked_svd(const Matrix&, const Vector&, const Workers&, Index);
template RankedSvd<Real50> ranked_svd(const MatrixOf<Real50>&, const VectorOf<Real50>&, const Workers&,
                                      Index);
template Matrix mapped_singular_values(const RankedSvd<double>&, const SpectralMap<double>&, const Workers&);
template MatrixOf<Real50> mapped_singular_values(const RankedSvd<Real50>&, const SpectralMap<Real50>&,
                                                 const Workers&);

}  // namespace rarefact
