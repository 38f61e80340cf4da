#pragma once

/// The column p (P̂ - Π) of the gradient with respect to the logits of a query, from the softmax of its column. In double or 50
/// digits.

#include <vector>

#include "model/softmax_column.hpp"

namespace rarefact {

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

/// 1/K if all K answers of a column of ratios are equally likely, as at W = 0; else 0. A tie (advantage 0) is not enough: a
/// W that has almost returned to 0 ties, and its small logits still turn the gradient.
template <class Real>
Real equal_probability(const QueryColumn<Real>& column, const ColumnSoftmax<Real>& odds,
                       const std::vector<Real>& softmax) {
  using std::abs;
  const QueryAnswers<Real>& law = *column.law;
  const std::size_t others = law.right_at.size() + column.absent.size();
  const bool some_wrong = static_cast<std::size_t>(column.values.size()) > others;
  const Real apart = odds.log_ratio + odds.log_right;
  if ((some_wrong && !(abs(apart) <= equal_logits<Real>())) || !are_equal(softmax)) return Real(0);
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
  Real largest = odds.log_peak();
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

/// Makes a column sum to zero, as columns of P̂ - Π do: the entry at place k is minus the sum of all others.
template <class Real>
void balance(QueryColumn<Real>& column, Index k) {
  column.values(k) = Real(0);
  column.values(k) = -column.sum() / column.times_at(k);
}

/// Sets the right answers' entries p [π(R) (ŵ - ω) + (1 - π(R) - error) ŵ], in units of 2^shift, of a column
/// whose wrong answers are set. The largest is minus the sum of all others.
template <class Real>
void set_right(QueryColumn<Real>& column, const ColumnSoftmax<Real>& odds, const std::vector<Real>& softmax,
               int shift) {
  using std::abs, std::exp, std::log;
  const QueryAnswers<Real>& law = *column.law;
  if (law.one_right()) return balance(column, law.right_at.front());
  const Real unit = Real(shift) * log(Real(2));
  const Real log_odds = odds.log_odds();
  const Real error = exp(Real(log_odds - softplus(log_odds) - unit));
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
  balance(column, *std::ranges::max_element(law.right_at, {},
                                            [&](Index k) -> Real { return abs(column.values(k)); }));
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
  const Real peak = odds.peak();
  const int shift =
      peak > Real(no_underflow)
          ? 0
          : underflow_shift(static_cast<double>(log_largest(law, odds, noise.constant, softmax)),
                            log_answers);
  auto& values = column.values;
  if (const Real equal = equal_probability(column, odds, softmax); equal > Real(0)) {
    const auto entry = [&](const Real& target) {
      return Real(p * ldexp(untied_difference(equal, target), -shift));
    };
    for (Index k = 0; k < values.size(); ++k) values(k) = entry(law.noisy ? noise(k) : Real(0));
    for (std::size_t a = 0; a < law.size(); ++a) values(law.at[a]) = entry(law.target[a]);
    for (const Index k : column.absent) values(k) = Real(0);
    // Not a right answer's if that is 0.
    Index largest = 0;
    values.cwiseAbs().maxCoeff(&largest);
    balance(column, largest);
    return shift;
  }
  values *= p * (shift == 0 ? peak : Real(exp(Real(odds.log_peak() - Real(shift) * log(Real(2))))));
  if (law.noisy && !noise.per_answer.empty()) {
    values -= p * ldexp(Real(1), -shift) *
              Eigen::Map<const VectorOf<Real>>(noise.per_answer.data(), std::ssize(noise.per_answer));
  } else if (law.noisy) {
    values.array() -= p * (shift == 0 ? noise.constant : Real(ldexp(noise.constant, -shift)));
  }
  for (std::size_t a = 0; a < law.size(); ++a) {
    if (!law.right[a]) values(law.at[a]) -= p * ldexp(law.share[a], -shift);
  }
  for (const Index k : column.absent) values(k) = Real(0);
  set_right(column, odds, softmax, shift);
  return shift;
}

}  // namespace rarefact
