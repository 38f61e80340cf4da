#include "reference/decompositions.hpp"

#include <Eigen/QR>
#include <Eigen/SVD>

namespace reference {

Svd svd(const rarefact::Matrix& x) {
  const Eigen::JacobiSVD<rarefact::Matrix> found(x, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {found.matrixU(), found.matrixV(), found.singularValues()};
}

rarefact::Matrix polar(const rarefact::Matrix& x) {
  const Svd found = svd(x);
  return found.polar((found.values.array() > 1e-11 * found.values(0)).count());
}

rarefact::Matrix orthonormal(const rarefact::Matrix& x) {
  // Householder's reflections leave less rounding than rotations.
  const Eigen::HouseholderQR<rarefact::Matrix> qr(x);
  return qr.householderQ() * rarefact::Matrix::Identity(x.rows(), x.cols());
}

rarefact::Matrix least_squares(const rarefact::Matrix& a, const rarefact::Matrix& b) {
  const Svd x = svd(a);
  rarefact::Matrix solution = rarefact::Matrix::Zero(a.cols(), b.cols());
  for (rarefact::Index i = 0; i < x.values.size() && x.values(i) > 1e-14 * x.values(0); ++i)
    solution += x.v.col(i) * (x.u.col(i).transpose() * b / x.values(i));
  return solution;
}

}  // namespace reference
