#include "reference/decompositions.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>

namespace reference {

Svd svd(const rarefact::Matrix& x) {
  const Eigen::JacobiSVD<rarefact::Matrix> found(x, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {found.matrixU(), found.matrixV(), found.singularValues()};
}

rarefact::Matrix orthonormal(const rarefact::Matrix& x) {
  return Eigen::HouseholderQR<rarefact::Matrix>(x).householderQ() *
         rarefact::Matrix::Identity(x.rows(), x.cols());
}

rarefact::Vector least_squares(const rarefact::Matrix& a, const rarefact::Vector& b) {
  return Eigen::CompleteOrthogonalDecomposition<rarefact::Matrix>(a).solve(b);
}

}  // namespace reference
