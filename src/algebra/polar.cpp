#include "rarefact/algebra/polar.hpp"

#include "rarefact/algebra/polar_impl.hpp"

namespace rarefact {

template struct SingularBasis<double>;
template SingularBasis<double> singular_basis<double>(const Matrix&, const Vector&);
template Matrix polar_factor<double>(const Matrix&, const Vector&, const Workers&);
template Vector nonzero_singular_values<double>(const Matrix&, const Vector&);
template class PolarTracker<double>;

}  // namespace rarefact
