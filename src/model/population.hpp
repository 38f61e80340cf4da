#pragma once

/// What is learned: which queries there are, how likely each is, and the law of its answers.

#include "model/spectrum.hpp"

namespace rarefact {

/// π(.|l) as the loss of a query sees it: one right answer, and wrong ones that are all alike.
template <class Real>
struct TargetLaw {
  Real right{1};  ///< π of the right answer
  Real wrong{0};  ///< π of each wrong one

  bool noisy() const { return wrong > Real(0); }
};

/// Of K answers, with label noise α: 1 - α + α/K for the right one and α/K for each other.
template <class Real>
TargetLaw<Real> uniform_noise(const Real& answers, const Real& label_noise) {
  const Real wrong = label_noise / answers;
  return {Real(1) - label_noise + wrong, wrong};
}

/// As many answers as queries, answer l right for query l, and label noise spread evenly over all answers. A
/// law with other answers is to be refused by the engines that do not hold it. A view of its groups.
struct Population {
  const ClassGroups& queries;  ///< in groups of equally likely ones
  double label_noise = 0;      ///< α in [0, 1)

  double answers() const { return queries.total(); }  ///< K
  TargetLaw<double> target() const { return uniform_noise(answers(), label_noise); }
};

}  // namespace rarefact
