#pragma once

/// The loss of one query, and what a step sees of it: the cross-entropy of the softmax of a column of logits
/// to the law of its answers. Written for columns whose logits have multiplicities, in doubles or 50 digits, in
/// passes over memory that a cache holds. Of another loss a memory would need the same functions.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/types.hpp"
#include "model/log_odds.hpp"
#include "model/population.hpp"

namespace rarefact {

/// A stretch of a column that holds wrong answers, but for `apart` entries from `first` on: the right answer,
/// or answers that there are none of.
template <class Values>
struct Answers {
  Values values;
  Index first = 0, apart = 0;

  template <class Real>
  void set_apart(const Real& value) {
    values.segment(first, apart).setConstant(value);
  }
  bool holds(Index k) const { return k < first || k >= first + apart; }
  auto sum() const { return values.sum(); }
  static constexpr int times(Index) { return 1; }
};

/// The same, each entry standing for `count` answers.
template <class Values, class Counts>
struct CountedAnswers : Answers<Values> {
  const Counts& count;

  auto sum() const { return count.dot(this->values); }
  const auto& times(Index k) const { return count(k); }
};

/// The softmax of a column of logits, seen from its right answer.
template <class Real>
struct ColumnOdds {
  Real advantage{0};  ///< right logit minus the largest wrong one
  Real log_odds{0};   ///< ln(wrong/right)
  Real log_peak{0};   ///< ln p̂ of the likeliest wrong answer
};

template <class Values>
auto largest(const Values& values) {
  if constexpr (std::is_same_v<typename Values::Scalar, double>) {
    return values.template maxCoeff<Eigen::PropagateNaN>();
  } else {
    return values.maxCoeff();
  }
}

/// Turns logits of wrong answers into the ratios of their probabilities to the likeliest of them; 0 where
/// they are set apart. Not-a-number reaches every result.
template <class Real, class... Wrong>
ColumnOdds<Real> to_wrong_ratios(Real right, Wrong... wrong) {
  using std::log;
  (wrong.set_apart(Real(-std::numeric_limits<Real>::max() / Real(4))), ...);
  const Real peak = right == right ? std::max({Real(largest(wrong.values))...}) : right;  // or no number
  ((wrong.values = (wrong.values.array() - peak).exp()), ...);
  (wrong.set_apart(Real(0)), ...);
  ColumnOdds<Real> odds;
  odds.advantage = right - peak;
  odds.log_odds = -odds.advantage + log(Real((wrong.sum() + ...)));
  odds.log_peak = -odds.advantage - softplus(odds.log_odds);
  return odds;
}

/// What rounding may make of a tie: 2^12 units in the last place of `size`, the right logit or, where updates or
/// embeddings mix columns, the largest entry of W.
template <class Real>
Real tie_margin(const Real& size) {
  return Real(4096) * std::numeric_limits<Real>::epsilon() * size;
}

/// The advantage, 0 where rounding decides it. So an answer that exact arithmetic ties with the right one does.
template <class Real>
Real untied(const Real& advantage, const Real& size) {
  using std::abs;
  return abs(advantage) <= tie_margin(size) ? Real(0) : advantage;
}

/// Of a whole column with right answer l; `size` as in untied, where that is larger than the right logit.
inline ColumnOdds<double> odds_of(Eigen::Ref<Vector> column, Index l, double size = 0) {
  const double right = column(l);
  ColumnOdds<double> odds = to_wrong_ratios<double>(right, Answers<Eigen::Ref<Vector>>{column, l, 1});
  odds.advantage = untied(odds.advantage, std::max(size, std::abs(right)));
  return odds;
}

/// KL(π || p̂) of a column, from logits: term by term where the law has noise.
template <class Real, class... Wrong>
Real excess_loss(const ColumnOdds<Real>& odds, const TargetLaw<Real>& law, const Real& right,
                 const Wrong&... wrong) {
  using std::log;
  const Real loss_right = softplus(odds.log_odds);
  if (!law.noisy()) return loss_right;
  Real excess = law.right * exp_remainder(Real(-loss_right - log(law.right)));
  const Real base = loss_right + log(law.wrong);
  const auto add = [&](const auto& answers) {
    for (Index k = 0; k < answers.values.size(); ++k) {
      if (answers.holds(k))
        excess += answers.times(k) * law.wrong * exp_remainder(Real(answers.values(k) - right - base));
    }
  };
  (add(wrong), ...);
  return excess;
}

/// Sets the entry of the right answer to minus the sum of the others, as the columns of p̂ - π demand.
inline void balance(Eigen::Ref<Vector> residual, Index l) {
  residual(l) = 0;
  residual(l) = -residual.sum();
}

}  // namespace rarefact
