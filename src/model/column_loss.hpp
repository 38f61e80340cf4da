#pragma once

/// The loss of one query, and what a step sees of it: the cross-entropy of the softmax of a column of logits
/// to the law of its answers. Written for columns whose logits have multiplicities, in doubles or 50 digits, in
/// passes over memory that a cache holds. Of another loss a memory would need the same functions.

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/types.hpp"
#include "model/log_odds.hpp"
#include "model/query_answers.hpp"

namespace rarefact {

/// A stretch of a column that holds wrong answers, but for entries that are set apart: right answers, or answers
/// that there are none of.
template <class Values>
struct Answers {
  Values values;
  std::span<const Index> apart;  ///< ascending
  Background<std::remove_cvref_t<typename std::remove_cvref_t<Values>::Scalar>> background = {};

  template <class Real>
  void set_apart(const Real& value) {
    for (const Index k : apart) values(k) = value;
  }
  /// body(k) for every entry that is neither set apart nor, where that is given, among `except`, ascending.
  template <class Body>
  void for_each(const Body& body, std::span<const Index> except = {}) const {
    auto skip = apart.begin();
    auto skip_too = except.begin();
    for (Index k = 0; k < values.size(); ++k) {
      const bool gone = skip != apart.end() && *skip == k,
                 gone_too = skip_too != except.end() && *skip_too == k;
      if (gone) ++skip;
      if (gone_too) ++skip_too;
      if (!gone && !gone_too) body(k);
    }
  }
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

/// The logits of the right answers of a query.
template <class Real>
struct RightLogits {
  Real largest{0};
  Real log_sum{0};  ///< ln Σ_R e^(S - largest): 0 where there is one
};

/// The softmax of a column of logits, seen from its right answers R.
template <class Real>
struct ColumnOdds {
  Real advantage{0};  ///< largest right logit minus the largest wrong one
  Real log_odds{0};   ///< ln Σ_{k∉R} e^S - ln Σ_{k∈R} e^S
  Real log_peak{0};   ///< ln p̂ of the likeliest wrong answer
  Real log_top{0};    ///< ln p̂ of the likeliest right answer
};

template <class Values>
auto largest(const Values& values) {
  if constexpr (std::is_same_v<typename Values::Scalar, double>) {
    return values.template maxCoeff<Eigen::PropagateNaN>();
  } else {
    return values.maxCoeff();
  }
}

/// x <- e^(x - peak), the exponential with the digits of `Rough`.
template <class Rough, class Values, class Real>
void to_ratios(Values& x, const Real& peak) {
  if constexpr (std::is_same_v<Real, Rough>) {
    x = (x.array() - peak).exp();
  } else {
    // In a place of its own: expressions of two types of number are taken one by one.
    static thread_local Eigen::Array<Rough, Eigen::Dynamic, 1> rough;
    rough.resize(x.size());
    for (Index k = 0; k < x.size(); ++k) rough(k) = static_cast<Rough>(x(k) - peak);
    rough = rough.exp();
    for (Index k = 0; k < x.size(); ++k) x(k) = Real(rough(k));
  }
}

/// Turns logits of wrong answers into the ratios of their probabilities to the likeliest of them; 0 where
/// they are set apart. Not-a-number reaches every result. Exponentials have the digits of `Rough`.
template <class Real, class Rough = Real, class... Wrong>
ColumnOdds<Real> to_wrong_ratios(const RightLogits<Real>& logits, Wrong... wrong) {
  using std::log;
  const Real& right = logits.largest;
  (wrong.set_apart(Real(-std::numeric_limits<Real>::max() / Real(4))), ...);
  const Real peak = right == right ? std::max({Real(largest(wrong.values))...}) : right;  // or no number
  (to_ratios<Rough>(wrong.values, peak), ...);
  (wrong.set_apart(Real(0)), ...);
  ColumnOdds<Real> odds;
  odds.advantage = right - peak;
  odds.log_odds = -odds.advantage + log(Real((wrong.sum() + ...))) - logits.log_sum;
  odds.log_top = -softplus(odds.log_odds) - logits.log_sum;
  odds.log_peak = -odds.advantage + odds.log_top;
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
inline ColumnOdds<double> odds_of(Eigen::Ref<Vector> column, const Index& l, double size = 0) {
  const double right = column(l);
  ColumnOdds<double> odds =
      to_wrong_ratios<double>({right}, Answers<Eigen::Ref<Vector>>{column, std::span(&l, 1)});
  odds.advantage = untied(odds.advantage, std::max(size, std::abs(right)));
  return odds;
}

/// KL(π || p̂) of a column, term by term. `wrong`: the logits of all answers, right ones set apart, the first stretch
/// that with the query's own answers. `top` is the likeliest right one's.
template <class Real, class First, class... Wrong>
Real excess_loss(const ColumnOdds<Real>& odds, const QueryAnswers<Real>& law, const Real& top,
                 const First& first, const Wrong&... wrong) {
  using std::exp, std::log;
  if (law.certain()) return softplus(odds.log_odds);
  Real excess(0);
  const auto add = [&](const Real& times, const Real& target, const Real& log_target, const Real& logit) {
    const Real base = -odds.log_top + log_target;
    if (target > Real(0)) {
      excess += times * target * exp_remainder(Real(logit - top - base));
    } else {
      excess += times * exp(Real(logit - top + odds.log_top));  // p̂
    }
  };
  for (std::size_t i = 0; i < law.size(); ++i)
    add(law.times[i], law.target[i], log(law.target[i]), first.values(law.at[i]));
  if (!law.noisy && law.all_right()) return excess + logistic(odds.log_odds);
  const auto add_others = [&](const auto& answers, std::span<const Index> except) {
    const auto& noise = answers.background;
    const Real log_noise = log(noise.constant);
    answers.for_each(
        [&](Index k) {
          add(Real(answers.times(k)), noise(k), noise.each.empty() ? log_noise : Real(log(noise(k))),
              answers.values(k));
        },
        except);
  };
  (add_others(wrong, {}), ...);
  add_others(first, law.at);
  return excess;
}

/// The logits of the right answers of a query in the stretch that holds its answers, and what they come to.
template <class Real, class Values>
RightLogits<Real> logits_of_right(const QueryAnswers<Real>& law, const Values& own) {
  using std::exp, std::log;
  RightLogits<Real> right{own(law.right_at[0])};
  if (law.one_right()) return right;
  for (const Index k : law.right_at) right.largest = std::max(right.largest, Real(own(k)));
  Real sum(0);
  for (std::size_t i = 0; i < law.size(); ++i) {
    if (law.right[i]) sum += law.times[i] * exp(Real(own(law.at[i]) - right.largest));
  }
  right.log_sum = log(sum);
  return right;
}

/// π₀ of the answer with the largest logit of a column, the mean over ties.
template <class Real>
class TopShare {
 public:
  /// `tie`: what logits that tie may differ by.
  TopShare(const Real& advantage, const Real& tie)
      : tie_(tie), ahead_(std::max(advantage, Real(0))), behind_(std::max(Real(-advantage), Real(0))) {}
  /// A right answer's logit below the likeliest right one's.
  void add_right(const Real& below, const Real& share, const Real& times) {
    add(Real(below + behind_), share, times);
  }
  /// Whether wrong answers may be among the tops.
  bool wrong_count() const { return !(ahead_ > Real(0)); }
  /// A wrong answer's ratio to the likeliest wrong one; 0 where it is right.
  void add_wrong(const Real& ratio, const Real& share, const Real& times) {
    using std::log;
    if (ratio > Real(0)) add(Real(-log(ratio)), share, times);
  }
  Real mean() const { return sum_ / number_; }

 private:
  void add(const Real& below, const Real& share, const Real& times) {
    if (below > tie_) return;
    sum_ += times * share;
    number_ += times;
  }
  Real tie_, ahead_, behind_, sum_{0}, number_{0};
};

}  // namespace rarefact
