#include "algebra/householder.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace rarefact {

namespace {

auto sequence(const Matrix& reflectors, const Vector& coefficients) {
  return Eigen::HouseholderSequence<Matrix, Vector>(reflectors, coefficients);
}

}  // namespace

HouseholderQr::HouseholderQr(const Matrix& x) {
  const Eigen::HouseholderQR<Matrix> qr(x);
  reflectors_ = qr.matrixQR();
  coefficients_ = qr.hCoeffs();
}

Matrix HouseholderQr::r() const {
  return reflectors_.topRows(coefficients_.size()).triangularView<Eigen::Upper>();
}

Vector HouseholderQr::times(const Vector& y) const {
  Vector x = Vector::Zero(reflectors_.rows());
  x.head(y.size()) = y;
  return sequence(reflectors_, coefficients_) * x;
}

Matrix HouseholderQr::q(Index columns) const {
  return sequence(reflectors_, coefficients_) * Matrix::Identity(reflectors_.rows(), columns);
}

SymmetricEigen symmetric_eigen(const Matrix& s) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(s);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace rarefact
