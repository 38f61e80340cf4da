#include "algebra/dense_matrix.hpp"

#include "algebra/polar.hpp"

namespace rarefact {

SingularValues singular_values(const DenseMatrix& x) {
  const Vector values = nonzero_singular_values<double>(x.entries);
  return {{values.begin(), values.end()}, std::vector<double>(static_cast<std::size_t>(values.size()), 1.0)};
}

}  // namespace rarefact
