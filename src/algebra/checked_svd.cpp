#include <Eigen/SVD>
#include <algorithm>

#include "algebra/bidiagonal_values.hpp"
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

namespace {

/// Whether the rows are orthogonal to rounding: their lengths are the singular values then. So they are of partial
/// isometries, which updates of Muon are, and of what one is a sum of.
bool orthogonal(const Matrix& r, const Vector& length) {
  const double allowed =
      std::numeric_limits<double>::epsilon() * (4 + std::sqrt(static_cast<double>(r.rows())) / 2);
  for (Index j = 0; j < r.rows(); ++j) {
    for (Index i = 0; i < j; ++i) {
      if (!(std::abs(r.row(i).dot(r.row(j))) <= allowed * length(i) * length(j))) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<Vector> checked_singular_values(const Matrix& r) {
  const double unit = r.cwiseAbs().maxCoeff();
  const Matrix scaled = r / unit;
  const Vector length = scaled.rowwise().norm();
  std::optional<Vector> sigma;
  if (orthogonal(scaled, length)) {
    sigma = length;
    std::ranges::sort(*sigma, std::ranges::greater());
  } else {
    sigma = singular_values(bidiagonal(scaled.transpose()));
  }
  const double squares = scaled.squaredNorm();
  if (!sigma || !(std::abs(sigma->squaredNorm() - squares) <= tolerance(r.rows()) * squares))
    return std::nullopt;
  return *sigma * unit;
}

}  // namespace rarefact
