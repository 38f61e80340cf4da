#include "algebra/polar.hpp"

#include "algebra/polar_impl.hpp"
#include "core/real50.hpp"

namespace rarefact {

template JacobiResult<double> one_sided_jacobi<double>(const Matrix&);
template struct SingularBasis<double>;
template SingularBasis<double> singular_basis<double>(const Matrix&, const Vector&);
template Matrix polar_factor<double>(const Matrix&, const Vector&, const Workers&);
template Vector nonzero_singular_values<double>(const Matrix&, const Vector&);
template class PolarTracker<double>;

template struct SingularBasis<Real50>;
template SingularBasis<Real50> singular_basis<Real50>(const MatrixOf<Real50>&, const VectorOf<Real50>&);
template MatrixOf<Real50> polar_factor<Real50>(const MatrixOf<Real50>&, const VectorOf<Real50>&,
                                               const Workers&);
template VectorOf<Real50> nonzero_singular_values<Real50>(const MatrixOf<Real50>&, const VectorOf<Real50>&);
template class PolarTracker<Real50>;

}  // namespace rarefact
