#pragma once

/// One column of the residual G from one column of logits, in passes over memory that a cache holds.

#include <cmath>
#include <limits>

#include "core/types.hpp"
#include "model/log_odds.hpp"

namespace rarefact {

/// The softmax of a column of logits, seen from its right answer.
struct ColumnOdds {
  double advantage = 0;  ///< right logit minus the largest wrong one
  double log_odds = 0;   ///< ln(wrong/right)
  double log_peak = 0;   ///< ln p̂ of the likeliest wrong answer
};

/// Turns logits into the ratios of the wrong answers' probabilities to the likeliest of them; 0 for the right
/// answer l. Not-a-number reaches every result.
inline ColumnOdds to_wrong_ratios(Eigen::Ref<Vector> x, Index l) {
  const double right = x(l);
  x(l) = -std::numeric_limits<double>::infinity();
  double peak = x.maxCoeff<Eigen::PropagateNaN>();
  if (std::isnan(right)) peak = right;
  x = (x.array() - peak).exp();
  x(l) = 0;
  ColumnOdds odds{.advantage = right - peak};
  odds.log_odds = -odds.advantage + std::log(x.sum());
  odds.log_peak = -odds.advantage - softplus(odds.log_odds);
  return odds;
}

/// Excess loss of a column under label noise, π_right for the right answer and π_wrong for each other one:
/// KL(π || p̂) term by term, from logits.
inline double noisy_excess_loss(const Eigen::Ref<const Vector>& logits, Index l, const ColumnOdds& odds,
                                double pi_right, double pi_wrong) {
  const double loss_right = softplus(odds.log_odds);
  double excess = pi_right * exp_remainder(-loss_right - std::log(pi_right));
  const double base = loss_right + std::log(pi_wrong);
  for (Index k = 0; k < logits.size(); ++k) {
    if (k != l) excess += pi_wrong * exp_remainder(logits(k) - logits(l) - base);
  }
  return excess;
}

/// Sets the entry of the right answer to minus the sum of the others, as the columns of p̂ - π demand.
inline void balance(Eigen::Ref<Vector> residual, Index l) {
  residual(l) = 0;
  residual(l) = -residual.sum();
}

}  // namespace rarefact
