#pragma once

/// The loss of one query and its gradient: the cross-entropy of the softmax of a column of logits with its
/// answer distribution, and the residual p (P̂ - Π). In double or 50 digits.

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "core/types.hpp"
#include "model/log_odds.hpp"
#include "model/population.hpp"
#include "model/query_answers.hpp"

namespace rarefact {

/// A column of logits gathered by a layout. It is converted in place to ratios and then to the residual.
template <class Real>
struct QueryColumn {
  Eigen::Map<VectorOf<Real>> values;
  NoiseProbability<Real> noise = {};
  const Real* times = nullptr;              ///< number of answers of each entry; null: 1 each
  std::span<const Index> absent = {};       ///< padding entries (count 0)
  const QueryAnswers<Real>* law = nullptr;  ///< its answers, by places in the column
  Real weight{0};                           ///< p, in the unit of all columns

  Real sum() const {
    return times ? Eigen::Map<const VectorOf<Real>>(times, values.size()).dot(values) : values.sum();
  }
  Real times_at(Index k) const { return times ? times[k] : Real(1); }
};

/// The logits of the right answers of a query.
template <class Real>
struct RightLogits {
  Real largest{0};
  Real log_sum{0};  ///< ln Σ_R e^(S - largest); 0 for a single right answer
};

/// The softmax of a column of logits, relative to its right answers R.
template <class Real>
struct ColumnSoftmax {
  Real advantage{0};  ///< largest right logit minus the largest wrong one
  Real log_odds{0};   ///< ln Σ_{k∉R} e^S - ln Σ_{k∈R} e^S
  Real log_peak{0};   ///< ln p̂ of the most likely wrong answer
  Real log_top{0};    ///< ln p̂ of the most likely right answer
};

template <class Values>
auto largest(const Values& values) {
  if constexpr (std::is_same_v<typename Values::Scalar, double>) {
    return values.template maxCoeff<Eigen::PropagateNaN>();
  } else {
    return values.maxCoeff();
  }
}

/// x <- e^(x - peak), with the exponential in LowPrecision.
template <class LowPrecision, class Values, class Real>
void to_ratios(Values& x, const Real& peak) {
  if constexpr (std::is_same_v<Real, LowPrecision>) {
    x = (x.array() - peak).exp();
  } else {
    // A separate array, because Eigen does not vectorise expressions of mixed types.
    static thread_local Eigen::Array<LowPrecision, Eigen::Dynamic, 1> ratios;
    ratios.resize(x.size());
    for (Index k = 0; k < x.size(); ++k) ratios(k) = static_cast<LowPrecision>(x(k) - peak);
    ratios = ratios.exp();
    for (Index k = 0; k < x.size(); ++k) x(k) = Real(ratios(k));
  }
}

/// Converts logits to the ratios of wrong answers' probabilities to the largest of them; 0 for right or
/// absent answers. NaN propagates to every result. Exponentials are in LowPrecision.
template <class LowPrecision, class Real>
ColumnSoftmax<Real> normalise_wrong(QueryColumn<Real>& column, std::span<const Index> right_at,
                                    const RightLogits<Real>& logits) {
  using std::log;
  const Real& right = logits.largest;
  const auto set_apart = [&](const Real& value) {
    for (const Index k : right_at) column.values(k) = value;
    for (const Index k : column.absent) column.values(k) = value;
  };
  set_apart(Real(-std::numeric_limits<Real>::max() / Real(4)));
  const Real peak = right == right ? Real(largest(column.values)) : right;  // propagates NaN
  to_ratios<LowPrecision>(column.values, peak);
  set_apart(Real(0));
  ColumnSoftmax<Real> odds;
  odds.advantage = right - peak;
  odds.log_odds = -odds.advantage + log(column.sum()) - logits.log_sum;
  odds.log_top = -softplus(odds.log_odds) - logits.log_sum;
  odds.log_peak = -odds.advantage + odds.log_top;
  return odds;
}

/// The tolerance for ties: 2^12 units in the last place of `size`, the right logit or, if updates or
/// embeddings mix columns, the largest entry of W.
template <class Real>
Real tie_margin(const Real& size) {
  return Real(4096) * std::numeric_limits<Real>::epsilon() * size;
}

/// The advantage, set to 0 if it is below the tolerance, so that ties of exact arithmetic remain ties.
template <class Real>
Real untied(const Real& advantage, const Real& size) {
  using std::abs;
  return abs(advantage) <= tie_margin(size) ? Real(0) : advantage;
}

/// Gathers the logits of the right answers of a query and their log-sum.
template <class Real, class Values>
RightLogits<Real> logits_of_right(const QueryAnswers<Real>& law, const Values& logits) {
  using std::exp, std::log;
  RightLogits<Real> right{logits(law.right_at[0])};
  if (law.one_right()) return right;
  for (const Index k : law.right_at) right.largest = std::max(right.largest, Real(logits(k)));
  Real sum(0);
  for (std::size_t i = 0; i < law.size(); ++i) {
    if (law.right[i]) sum += law.times[i] * exp(Real(logits(law.at[i]) - right.largest));
  }
  right.log_sum = log(sum);
  return right;
}

/// KL(π || p̂) of a column, term by term. `logits`: the original values, not read if the answer is certain;
/// `top`: that of the most likely right answer.
template <class Real>
Real excess_loss(const QueryColumn<Real>& column, const VectorOf<Real>& logits,
                 const ColumnSoftmax<Real>& odds, const Real& top) {
  using std::exp, std::log;
  const QueryAnswers<Real>& law = *column.law;
  if (law.certain()) return softplus(odds.log_odds);
  Real excess(0);
  const auto add = [&](const Real& times, const Real& target, const Real& log_target, const Real& logit) {
    if (target > Real(0)) {
      excess += times * target * exp_remainder(Real(logit - top - (log_target - odds.log_top)));
    } else {
      excess += times * exp(Real(logit - top + odds.log_top));  // p̂
    }
  };
  for (std::size_t i = 0; i < law.size(); ++i)
    add(law.times[i], law.target[i], log(law.target[i]), logits(law.at[i]));
  if (!law.noisy && law.all_right()) return excess + logistic(odds.log_odds);
  const NoiseProbability<Real>& noise = column.noise;
  const Real log_noise = log(noise.constant);
  auto next = law.at.begin();
  for (Index k = 0; k < logits.size(); ++k) {
    if (next != law.at.end() && *next == k) {
      ++next;
    } else if (const Real times = column.times_at(k); times > Real(0)) {
      add(times, noise(k), noise.per_answer.empty() ? log_noise : Real(log(noise(k))), logits(k));
    }
  }
  return excess;
}

/// Softmax ŵ over the right answers only, and the target shares ω = π/π(R); an entry per right answer, empty
/// if there is only one.
template <class Real, class Values>
void set_inside(const QueryAnswers<Real>& law, const Values& logits, const RightLogits<Real>& right,
                std::vector<Real>& softmax) {
  using std::exp;
  softmax.clear();
  if (law.one_right()) return;
  for (const Index k : law.right_at) softmax.push_back(exp(Real(logits(k) - right.largest - right.log_sum)));
}

/// x - y, or 0 if it is only rounding of inputs, which are doubles, so that rounding does not choose its sign. For an
/// exact x = 1/n.
template <class Real>
Real untied_difference(const Real& x, const Real& y) {
  using std::abs;
  const Real difference = x - y;
  return abs(difference) <= Real(2 * std::numeric_limits<double>::epsilon()) * y ? Real(0) : difference;
}

/// Logits that differ by less than this are equal but for the random rounding of repetitions.
template <class Real>
Real equal_logits() {
  return Real(8) * std::numeric_limits<Real>::epsilon();
}

/// True if the right answers have equal shares of their probability.
template <class Real>
bool are_equal(const std::vector<Real>& shares) {
  if (shares.empty()) return true;
  const auto [lowest, highest] = std::ranges::minmax_element(shares);
  return *highest - *lowest <= equal_logits<Real>() * *highest;
}

/// π(R) ŵ - π of the i-th answer, a right one; exactly 0 if shares are `equal` and its target is their mean.
template <class Real>
Real share_apart(const QueryAnswers<Real>& law, std::size_t i, const Real& share, bool equal) {
  const Real mean = law.right_target * share;
  return equal ? untied_difference(mean, law.target[i]) : Real(mean - law.target[i]);
}

/// 1/K if all K answers of a column of ratios are equally likely, as at W = 0; else 0.
template <class Real>
Real equal_probability(const QueryColumn<Real>& column, const ColumnSoftmax<Real>& odds,
                       const std::vector<Real>& softmax) {
  using std::abs;
  const QueryAnswers<Real>& law = *column.law;
  const std::size_t others = law.right_at.size() + column.absent.size();
  const bool some_wrong = static_cast<std::size_t>(column.values.size()) > others;
  if ((some_wrong && !(abs(odds.advantage) <= equal_logits<Real>())) || !are_equal(softmax)) return Real(0);
  std::size_t zeros = 0;
  for (Index k = 0; k < column.values.size(); ++k) {
    const Real& ratio = column.values(k);
    if (ratio == Real(0))
      ++zeros;
    else if (!(ratio >= Real(1) - equal_logits<Real>()))
      return Real(0);
  }
  if (zeros != others) return Real(0);
  Real answers = column.sum();
  for (std::size_t i = 0; i < law.size(); ++i) {
    if (law.right[i]) answers += law.times[i];
  }
  return Real(1) / answers;
}

/// ln of the largest entry of a column of P̂ - Π other than its largest right answer's; it determines the
/// unit.
template <class Real>
Real log_largest(const QueryAnswers<Real>& law, const ColumnSoftmax<Real>& odds, const Real& background,
                 const std::vector<Real>& softmax) {
  using std::log, std::abs;
  Real largest = odds.log_peak;
  if (law.noisy) largest = std::max(largest, Real(log(background)));
  const bool equal = are_equal(softmax);
  std::size_t r = 0;
  for (std::size_t i = 0; i < law.size(); ++i) {
    if (!law.right[i]) {
      largest = std::max(largest, Real(log(law.target[i])));
    } else if (!law.one_right()) {
      const Real apart = abs(share_apart(law, i, softmax[r++], equal));
      if (apart > Real(0)) largest = std::max(largest, Real(log(apart)));
    }
  }
  return largest;
}

/// Makes a column sum to zero, as columns of P̂ - Π do: the largest entry of right answers is minus the sum of all
/// others.
template <class Real>
void balance(QueryColumn<Real>& column) {
  using std::abs;
  const QueryAnswers<Real>& law = *column.law;
  std::size_t last = law.size();
  for (std::size_t i = 0; i < law.size(); ++i) {
    if (!law.right[i]) continue;
    if (last == law.size() || abs(column.values(law.at[i])) > abs(column.values(law.at[last]))) last = i;
  }
  column.values(law.at[last]) = Real(0);
  column.values(law.at[last]) = -column.sum() / law.times[last];
}

/// Sets the right answers' entries p [π(R) (ŵ - ω) + (1 - π(R) - error) ŵ], in units of 2^shift, of a column
/// whose wrong answers are set; that of a single one is set by balance().
template <class Real>
void set_right(QueryColumn<Real>& column, const ColumnSoftmax<Real>& odds, const std::vector<Real>& softmax,
               int shift) {
  using std::exp, std::log;
  const QueryAnswers<Real>& law = *column.law;
  if (law.one_right()) return;
  const Real unit = Real(shift) * log(Real(2));
  const Real error = exp(Real(odds.log_odds - softplus(odds.log_odds) - unit));
  const Real wrong = law.wrong_target > Real(0) ? Real(exp(Real(log(law.wrong_target) - unit))) : Real(0);
  const Real factor = exp(Real(-unit));
  const bool equal = are_equal(softmax);
  std::size_t r = 0;
  for (std::size_t i = 0; i < law.size(); ++i) {
    if (!law.right[i]) continue;
    const Real& w = softmax[r++];
    const Real apart = share_apart(law, i, w, equal);
    column.values(law.at[i]) =
        column.weight * ((apart == Real(0) ? apart : Real(apart * factor)) + (wrong - error) * w);
  }
}

/// Converts the ratios of wrong answers to the column of G in units of 2^exponent and returns the exponent,
/// chosen for this column; K answers.
template <class Real>
int to_residual(QueryColumn<Real>& column, const ColumnSoftmax<Real>& odds, const std::vector<Real>& softmax,
                double log_answers) {
  using std::exp, std::ldexp, std::log;
  const QueryAnswers<Real>& law = *column.law;
  const NoiseProbability<Real>& noise = column.noise;
  const Real& p = column.weight;
  const int shift =
      underflow_shift(static_cast<double>(log_largest(law, odds, noise.constant, softmax)), log_answers);
  auto& values = column.values;
  if (const Real equal = equal_probability(column, odds, softmax); equal > Real(0)) {
    const auto entry = [&](const Real& target) {
      return Real(p * ldexp(untied_difference(equal, target), -shift));
    };
    for (Index k = 0; k < values.size(); ++k) values(k) = entry(law.noisy ? noise(k) : Real(0));
    for (std::size_t a = 0; a < law.size(); ++a) values(law.at[a]) = entry(law.target[a]);
    for (const Index k : column.absent) values(k) = Real(0);
    balance(column);
    return shift;
  }
  values *= p * exp(Real(odds.log_peak - Real(shift) * log(Real(2))));
  if (law.noisy && !noise.per_answer.empty()) {
    values -= p * ldexp(Real(1), -shift) *
              Eigen::Map<const VectorOf<Real>>(noise.per_answer.data(),
                                               static_cast<Index>(noise.per_answer.size()));
  } else if (law.noisy) {
    values.array() -= Real(p * ldexp(noise.constant, -shift));
  }
  for (std::size_t a = 0; a < law.size(); ++a) {
    if (!law.right[a]) values(law.at[a]) -= p * ldexp(law.share[a], -shift);
  }
  for (const Index k : column.absent) values(k) = Real(0);
  set_right(column, odds, softmax, shift);
  balance(column);
  return shift;
}

/// The empirical answers of the i-th query of a sample, by place(answer) in the column. Drawn answers count
/// as right, so the entry of an answer not drawn is its own small probability, not 1 minus the others.
template <class Real, class Place>
QueryAnswers<Real> drawn_answers(const Sample& sample, std::size_t i, const Place& place) {
  std::vector<std::pair<Index, double>> all;
  for (std::size_t a = sample.begin[i]; a < sample.begin[i + 1]; ++a)
    all.emplace_back(place(sample.answer[a]), sample.answer_weight[a]);
  std::ranges::sort(all);
  QueryAnswers<Real> drawn;
  for (const auto& [k, weight] : all)
    drawn.add(k, Real(weight) / Real(sample.weight[i]), Real(0), Real(1), true);
  return drawn;
}

/// π₀ of the answer with the largest logit of a column, the mean over ties.
template <class Real>
class TopShare {
 public:
  /// `tie`: the tolerance for ties.
  TopShare(const Real& advantage, const Real& tie)
      : tie_(tie), ahead_(std::max(advantage, Real(0))), behind_(std::max(Real(-advantage), Real(0))) {}
  /// Adds a right answer, by the difference of its logit to that of the most likely one.
  void add_right(const Real& below, const Real& share, const Real& times) {
    add(Real(below + behind_), share, times);
  }
  /// True if wrong answers may have the largest logit.
  bool wrong_count() const { return !(ahead_ > Real(0)); }
  /// Adds a wrong answer, by its ratio to the most likely wrong one; 0 if it is right.
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
