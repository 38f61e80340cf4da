#include "reference/svd.hpp"

#include <Eigen/SVD>

namespace reference {

Svd svd(const rarefact::Matrix& x) {
  const Eigen::JacobiSVD<rarefact::Matrix> found(x, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {found.matrixU(), found.matrixV(), found.singularValues()};
}

}  // namespace reference
