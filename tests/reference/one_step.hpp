#pragma once

/// Closed forms that only tests need.

#include <cmath>
#include <memory>
#include <stdexcept>

#include "model/log_odds.hpp"
#include "theory/one_step.hpp"

namespace rarefact {

/// X itself: the direction of gradient descent with orthonormal embeddings, K = Σ n_i.
template <class Real>
SymmetricMatrix<Real> gd_direction(const ClassGroups& groups) {
  SymmetricMatrix<Real> x(std::make_shared<const GroupStructure>(GroupStructure::blocks(1, groups.count)));
  Real total(0);
  for (const double n : groups.count) total += Real(n);
  for (std::size_t j = 0; j < groups.size(); ++j) {
    const Real p(groups.probability[j]);
    const auto column = static_cast<Index>(j);
    x.diagonal_block(column)(0, 0) = p * ((total - 1) / total);
    x.off_entries().col(column).setConstant(-p / total);
    if (groups.count[j] <= 1) x.off_block(column, column)(0, 0) = Real(0);
  }
  return x;
}

/// The same for exactly two groups, in closed form: Y = v (diag(p) v)ᵀ has rank one, v = (u_2, -u_1), so
/// msgn(Y) = v (diag(p) v)ᵀ/‖diag(p) v‖. std::invalid_argument for another number of groups.
template <class Real>
SymmetricMatrix<Real> muon_direction_of_two_groups(const ClassGroups& groups) {
  using std::sqrt;
  if (groups.size() != 2) throw std::invalid_argument("the closed form is for two groups");
  const Real n1(groups.count[0]), n2(groups.count[1]), p1(groups.probability[0]), p2(groups.probability[1]);
  VectorOf<Real> v(2), p(2);
  v << sqrt(Real(n2 / (n1 + n2))), -sqrt(Real(n1 / (n1 + n2)));
  p << p1, p2;
  const VectorOf<Real> pv = (p / p.maxCoeff()).cwiseProduct(v);
  const IrreducibleParts<Real> parts{VectorOf<Real>::Ones(2), v * pv.transpose() / safe_norm(pv)};
  return from_parts(std::make_shared<const GroupStructure>(GroupStructure::blocks(1, groups.count)), parts);
}

/// min_l p̂(l|l) after a step of size η.
template <class Real>
Probability<Real> min_probability(const OneStepLogits<Real>& logits, const Real& step_size) {
  const Real worst = logits.log_odds(step_size).maxCoeff();
  return {logistic(Real(-worst)), logistic(worst)};
}

}  // namespace rarefact
