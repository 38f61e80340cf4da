#include "model/rank_interpolation.hpp"

#include <cmath>
#include <limits>

namespace rarefact {

namespace {

/// 1/Π_{k≠j} (x_j - x_k) up to a common factor.
Vector barycentric_weights(const Vector& x) {
  const Index n = x.size();
  Vector log_size = Vector::Zero(n), sign = Vector::Ones(n);
  for (Index j = 0; j < n; ++j) {
    for (Index k = 0; k < n; ++k) {
      if (k == j) continue;
      log_size(j) -= std::log(std::abs(x(j) - x(k)));
      if (x(j) < x(k)) sign(j) = -sign(j);
    }
  }
  return sign.cwiseProduct((log_size.array() - log_size.maxCoeff()).exp().matrix());
}

}  // namespace

Matrix interpolation_weights(const QuadratureRule& rule, const std::vector<double>& ranks) {
  const auto nodes = static_cast<Index>(rule.size());
  const Vector x = Eigen::Map<const Vector>(rule.log_rank.data(), nodes);
  const Vector weight = barycentric_weights(x);
  // Nodes and targets are each rounded: what agrees to a few units in the last place is the same rank.
  const double same = 8 * std::numeric_limits<double>::epsilon() * std::max(1.0, x(nodes - 1));
  Matrix weights(static_cast<Index>(ranks.size()), nodes);
  for (Index row = 0; row < weights.rows(); ++row) {
    const Vector distance = std::log(ranks[static_cast<std::size_t>(row)]) - x.array();
    Index nearest = 0;
    if (distance.cwiseAbs().minCoeff(&nearest) <= same) {
      weights.row(row) = Vector::Unit(nodes, nearest).transpose();
    } else {
      const Vector terms = weight.cwiseQuotient(distance);
      weights.row(row) = terms.transpose() / terms.sum();
    }
  }
  return weights;
}

}  // namespace rarefact
