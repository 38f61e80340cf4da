#pragma once

/// The loss of one query and its gradient: the cross-entropy of the softmax of a column of logits with its
/// answer distribution. In double or 50 digits.

#include <limits>

#include "model/entry_functions.hpp"
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
  Real advantage{0};  ///< largest right logit minus the largest wrong one; 0 if tied
  Real log_ratio{0};  ///< ln of the largest wrong probability divided by that of R
  Real wrong{0};      ///< Σ_{k∉R} p̂ divided by the largest wrong probability
  Real log_right{0};  ///< ln of the probability of R divided by that of its most likely answer

  /// The right logit has rank 1, without a tie.
  bool recovered() const { return advantage > Real(0); }
  /// ln Σ_{k∉R} e^S - ln Σ_{k∈R} e^S.
  Real log_odds() const {
    using std::log;
    return log_ratio + log(wrong);
  }
  /// ln p̂ of the most likely wrong answer.
  Real log_peak() const { return log_ratio - softplus(log_odds()); }
  /// ln p̂ of the most likely right answer.
  Real log_top() const { return -softplus(log_odds()) - log_right; }
  /// p̂ of the most likely wrong answer; it may underflow.
  Real peak() const {
    using std::abs, std::exp;
    const Real ratio = exp(Real(-abs(log_ratio)));
    return log_ratio < Real(0) ? Real(ratio / (Real(1) + wrong * ratio)) : Real(Real(1) / (ratio + wrong));
  }
};

/// Converts logits to the ratios of wrong answers' probabilities to the largest of them; 0 for right or
/// absent answers. NaN propagates to every result. Exponentials are in LowPrecision.
template <class LowPrecision, class Real>
ColumnSoftmax<Real> normalise_wrong(QueryColumn<Real>& column, std::span<const Index> right_at,
                                    const RightLogits<Real>& logits) {
  const Real& right = logits.largest;
  const auto set_apart = [&](const Real& value) {
    for (const Index k : right_at) column.values(k) = value;
    for (const Index k : column.absent) column.values(k) = value;
  };
  set_apart(Real(-std::numeric_limits<Real>::max() / Real(4)));
  const Real peak = right == right ? Real(column.values.maxCoeff()) : right;
  to_ratios<LowPrecision>(column.values, peak);
  set_apart(Real(0));
  ColumnSoftmax<Real> odds;
  odds.wrong = column.sum();
  odds.advantage =
      odds.wrong == odds.wrong ? Real(right - peak) : odds.wrong;  // the maximum may pass over NaN
  odds.log_right = logits.log_sum;
  odds.log_ratio = -odds.advantage - logits.log_sum;
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
  using std::abs, std::exp, std::log;
  const QueryAnswers<Real>& law = *column.law;
  if (law.certain()) return softplus(odds.log_odds());
  const Real log_top = odds.log_top();
  Real excess(0);
  const auto p_hat = [&](const Real& logit) { return Real(exp(Real(logit - top + log_top))); };
  const auto add = [&](const Real& times, const Real& target, const Real& log_target, const Real& logit) {
    if (target > Real(0)) {
      // ln(p̂/π); a difference below the rounding of its terms is 0.
      const Real apart = logit - top - (log_target - log_top),
                 size = abs(logit - top) + abs(log_target) + abs(log_top);
      if (apart > Real(2))  // where e^apart would have the rounding of a large ln π
        excess += times * (p_hat(logit) - target * (Real(1) + apart));
      else if (!(abs(apart) <= Real(2) * std::numeric_limits<Real>::epsilon() * size))
        excess += times * target * exp_remainder(apart);
    } else {
      excess += times * p_hat(logit);
    }
  };
  for (std::size_t i = 0; i < law.size(); ++i)
    add(law.times[i], law.target[i], law.log_target(i), logits(law.at[i]));
  if (!law.noisy && law.all_right()) return excess + logistic(odds.log_odds());
  const NoiseProbability<Real>& noise = column.noise;
  constexpr double usual = 1e-9;  // whose logarithm's rounding is no larger than others
  if (noise.constant > Real(usual) && noise.per_answer.empty()) {
    VectorOf<Real> terms = logits.array() - top;
    to_exp_remainders<Real>({terms.data(), terms.size()}, log(noise.constant) - log_top);
    for (const Index k : law.at) terms(k) = Real(0);
    for (const Index k : column.absent) terms(k) = Real(0);
    // Both factors at once, and before the sum: one alone may make numbers too small or too large.
    if (column.times) {
      terms.array() *= noise.constant * Eigen::Map<const VectorOf<Real>>(column.times, terms.size()).array();
    } else {
      terms *= noise.constant;
    }
    return excess + terms.sum();
  }
  auto next = law.at.begin();
  for (Index k = 0; k < logits.size(); ++k) {
    if (next != law.at.end() && *next == k) {
      ++next;
    } else if (const Real times = column.times_at(k); times > Real(0)) {
      add(times, noise(k), log(noise(k)), logits(k));
    }
  }
  return excess;
}

/// The mean of e^x - 1 over `answers` entries of these multiplicities (null: 1 each), for |x| <= ½. Overwrites x.
template <class Real>
Real mean_expm1(VectorOf<Real>& x, const Real* times, const Real& answers) {
  using std::expm1;
  if constexpr (std::is_same_v<Real, double>) {
    using Block = EntryBlock<double>;
    map_entries<double>(Eigen::Map<Vector>(x.data(), x.size()), 0.0, [](const Block& block) -> Block {
      Block series = Block::Ones();
#pragma GCC unroll 15
      for (int n = 16; n > 1; --n) series = 1 + series * block * (1.0 / n);
      return block * series;
    });
  } else {
    for (Real& entry : x) entry = expm1(entry);
  }
  const QueryColumn<Real> column{{x.data(), x.size()}, {}, times};
  return column.sum() / answers;
}

/// ln K - L = Σ_k π_k (S_k - top) - ln(Σ_k e^(S_k - top)/K) of a column, with every digit near W = 0 too. `logits`:
/// the original values; `top`: that of the most likely right answer; K answers.
template <class Real>
Real loss_drop(const QueryColumn<Real>& column, const VectorOf<Real>& logits, const ColumnSoftmax<Real>& odds,
               const Real& top, const Real& answers) {
  using std::abs, std::log, std::log1p;
  const QueryAnswers<Real>& law = *column.law;
  constexpr double near = 0.5;
  const bool one = law.certain() && law.one_right();
  const bool far = !(abs(odds.advantage) <= Real(near));
  if (one && far) return log(answers) + odds.log_top();
  VectorOf<Real> apart = logits.array() - top;
  for (const Index k : column.absent) apart(k) = Real(0);
  Real expected(0);
  for (std::size_t i = 0; i < law.size(); ++i) expected += law.times[i] * law.share[i] * apart(law.at[i]);
  for (Index k = 0; law.noisy && k < apart.size(); ++k)
    expected += column.times_at(k) * column.noise(k) * apart(k);
  if (far || !(apart.cwiseAbs().maxCoeff() <= Real(near))) return expected + log(answers) + odds.log_top();
  return expected - log1p(mean_expm1(apart, column.times, answers));
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

}  // namespace rarefact
