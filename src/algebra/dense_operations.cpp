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

}  // namespace rarefact
