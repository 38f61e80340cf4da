#include <Eigen/SVD>

#include "algebra/decompositions.hpp"

namespace rarefact {

namespace {

/// Backward errors of a sound decomposition are a few eps √n; a slip is 1e-4 and more.
double tolerance(Index n) {
  return 1e3 * std::numeric_limits<double>::epsilon() * std::sqrt(static_cast<double>(n));
}

}  // namespace

std::optional<Svd> checked_svd(const Matrix& r) {
  const Eigen::BDCSVD<Matrix> svd(r, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Matrix defect = r * svd.matrixV() - svd.matrixU() * svd.singularValues().asDiagonal();
  const double largest = svd.singularValues()(0);
  // Written so that not-a-number fails.
  if (!(defect.cwiseAbs().maxCoeff<Eigen::PropagateNaN>() <= tolerance(r.rows()) * largest))
    return std::nullopt;
  return Svd{svd.matrixU(), svd.matrixV(), svd.singularValues()};
}

std::optional<Vector> checked_singular_values(const Matrix& r) {
  const double unit = r.cwiseAbs().maxCoeff();
  const Matrix scaled = r / unit;
  const Vector sigma = Eigen::BDCSVD<Matrix>(scaled).singularValues();
  const double squares = scaled.squaredNorm(), fourths = (scaled.transpose() * scaled).squaredNorm();
  const double allowed = tolerance(r.rows());
  const bool sound = std::abs(sigma.squaredNorm() - squares) <= allowed * squares &&
                     std::abs(sigma.cwiseAbs2().squaredNorm() - fourths) <= allowed * fourths;
  if (!sound) return std::nullopt;
  return sigma * unit;
}

}  // namespace rarefact
