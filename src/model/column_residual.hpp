#pragma once

/// The column of the gradient in the task basis, p (P̂ - Π), from what its loss has seen.

#include "model/column_loss.hpp"
#include "model/population.hpp"

namespace rarefact {

/// What right answers have of their own probability, ŵ, beside what they should, ω = π/π(R): 0 where there is one.
/// One entry a right answer.
template <class Real, class Values>
std::vector<Real> inside(const QueryAnswers<Real>& law, const Values& own, const RightLogits<Real>& right) {
  using std::exp;
  std::vector<Real> softmax;
  for (const Index k : law.right_at)
    softmax.push_back(law.one_right() ? Real(1) : Real(exp(Real(own(k) - right.largest - right.log_sum))));
  return softmax;
}

/// ln of the largest entry of a column of P̂ - Π beside that of its largest right answer: what its unit is chosen by.
template <class Real>
Real log_largest(const QueryAnswers<Real>& law, const ColumnOdds<Real>& odds, const Real& background,
                 const std::vector<Real>& softmax) {
  using std::log, std::abs;
  Real largest = odds.log_peak;
  if (law.noisy) largest = std::max(largest, Real(log(background)));
  std::size_t r = 0;
  for (std::size_t i = 0; i < law.size(); ++i) {
    if (!law.right[i]) {
      largest = std::max(largest, Real(log(law.target[i])));
    } else if (!law.one_right()) {
      const Real apart = abs(Real(law.right_target * softmax[r++] - law.target[i]));
      if (apart > Real(0)) largest = std::max(largest, Real(log(apart)));
    }
  }
  return largest;
}

/// Right answers' entries p [π(R) (ŵ - ω) + (1 - π(R) - error) ŵ] of a column whose wrong answers have theirs; the one
/// that is largest in size is minus the sum of all others, as the columns of P̂ - Π demand. `others()` is the sum of
/// the whole column, `p` in the column's unit.
template <class Real, class Own, class Sum>
void set_right(const QueryAnswers<Real>& law, const ColumnOdds<Real>& odds, const std::vector<Real>& softmax,
               const Real& p, int shift, Own&& own, const Sum& sum) {
  using std::abs, std::exp, std::log;
  std::size_t last = 0, r = 0;
  if (law.one_right()) {
    while (!law.right[last]) ++last;
  } else {
    const Real unit = Real(shift) * log(Real(2));
    const Real error = exp(Real(odds.log_odds - softplus(odds.log_odds) - unit));
    const Real wrong = law.wrong_target > Real(0) ? Real(exp(Real(log(law.wrong_target) - unit))) : Real(0);
    const Real factor = exp(Real(-unit));
    Real largest(-1);
    for (std::size_t i = 0; i < law.size(); ++i) {
      if (!law.right[i]) continue;
      const Real& w = softmax[r++];
      const Real apart = law.right_target * w - law.target[i];
      own(law.at[i]) = p * ((apart == Real(0) ? apart : Real(apart * factor)) + (wrong - error) * w);
      const Real size = abs(Real(own(law.at[i])));
      if (size > largest) largest = size, last = i;
    }
  }
  own(law.at[last]) = Real(0);
  own(law.at[last]) = -sum() / law.times[last];
}

/// The law of the answers that a sample has of its i-th query: what was drawn is right. So an answer that nobody drew, be it the
/// right one of the population, has its own small probability for its entry and not what others leave of 1.
template <class Real>
QueryAnswers<Real> drawn_answers(const Sample& sample, std::size_t i) {
  QueryAnswers<Real> drawn;
  for (std::size_t a = sample.begin[i]; a < sample.begin[i + 1]; ++a)
    drawn.add(sample.answer[a], Real(sample.answer_weight[a]) / Real(sample.weight[i]), Real(0), Real(1),
              true);
  return drawn;
}

/// Of such a law, in units as below: turns ratios of wrong answers into the column, right answers' entries among them. `weight` of
/// the query and `sum()` of the column are in these units.
template <class Real, class Ratios, class Sum>
int to_drawn_residual(const QueryAnswers<Real>& drawn, const ColumnOdds<Real>& odds,
                      const std::vector<Real>& softmax, const Real& weight, double answers, Ratios&& ratios,
                      const Sum& sum) {
  using std::exp, std::log;
  const int shift =
      underflow_shift(static_cast<double>(log_largest(drawn, odds, Real(0), softmax)), std::log(answers));
  ratios *= weight * exp(Real(odds.log_peak - Real(shift) * log(Real(2))));
  set_right(
      drawn, odds, softmax, weight, shift, [&](Index k) -> Real& { return ratios(k); }, sum);
  return shift;
}

/// Of doubles: turns ratios of wrong answers into the column in units of 2^(the result), best for its own entries.
/// `answers` is K; `sum()` that of the whole column.
template <class Ratios, class Sum>
int to_residual(const QueryAnswers<double>& law, const ColumnOdds<double>& odds,
                const std::vector<double>& softmax, double p, const Background<double>& background,
                double answers, Ratios&& ratios, const Sum& sum) {
  const int shift = underflow_shift(log_largest(law, odds, background.constant, softmax), std::log(answers));
  ratios *= p * std::exp(odds.log_peak - shift * std::log(2.0));
  if (!background.each.empty()) {
    ratios -= p * std::ldexp(1.0, -shift) *
              Eigen::Map<const Vector>(background.each.data(), static_cast<Index>(background.each.size()));
  } else if (law.noisy) {
    ratios.array() -= p * std::ldexp(background.constant, -shift);
  }
  for (std::size_t a = 0; a < law.size(); ++a) {
    if (!law.right[a]) ratios(law.at[a]) -= p * std::ldexp(law.share[a], -shift);
  }
  set_right(
      law, odds, softmax, p, shift, [&](Index k) -> double& { return ratios(k); }, sum);
  return shift;
}

}  // namespace rarefact
