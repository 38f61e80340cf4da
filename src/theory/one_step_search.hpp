#pragma once

/// ϱ(ε) of one step from W = 0 (wang2025, section 5.1): the least retrieval probability of any class once the
/// best class is retrieved with probability 1 - ε or more,
///
///     ϱ = inf over step sizes η with max_l p̂(l|l) >= 1-ε of min_l p̂(l|l).
///
/// Logits are linear in η, so λ_l(η) = ln(p̂(wrong)/p̂(right)) of class l is a logarithm of a sum of
/// exponentials of linear functions: convex, with λ_l(0) = ln(K-1) and slope -margin_l at infinity. Three
/// facts follow, and with them ϱ needs one bracketed root and no minimisation:
///
///   * For ε < 1/2 a class whose right answer does not beat every wrong one (margin <= 0) never reaches 1-ε;
///     every other λ_l falls for ever. So the admissible step sizes are [threshold, ∞), or there are none.
///   * With m the largest margin, the threshold lies between ln((1-ε)/ε)/m and (ln(K-1) + ln((1-ε)/ε))/m.
///   * A class with margin >= 0 only gains from larger steps, one with margin < 0 is lost in the limit. So
///   the
///     infimum is 0 if any margin is negative, and otherwise it is the value at the threshold.
///
/// Nothing here knows where the logits come from: a closed form, or what a real optimizer did on any engine.
/// Real is double or Real50.

#include <functional>
#include <optional>

#include "core/types.hpp"

namespace rarefact {

/// A probability and what it lacks to 1, neither obtained from the other by subtraction: 1e-36 and 1 - 1e-36
/// are both told apart from their neighbours.
template <class Real>
struct Probability {
  Real value;
  Real complement;
};

/// One step as the search sees it. A cell is a set of classes that fare alike.
template <class Real>
struct OneStepLogits {
  /// ln(p̂(wrong)/p̂(right)) of every cell after a step of size η >= 0, natural logarithm. Where a program
  /// reports error e = 1 - p̂ and loss L = -ln p̂ of a class, this is ln(e) + L, with the digits of both.
  std::function<VectorOf<Real>(const Real& step_size)> log_odds;
  /// Right logit minus the largest wrong one, for a step of size 1. Its sign decides, to the last digit.
  VectorOf<Real> margin;
};

template <class Real>
struct OneStepRho {
  Real threshold;                  ///< the smallest admissible step size
  Probability<Real> at_threshold;  ///< min_l p̂ there
  Index best_cell;                 ///< the cell that reaches 1 - ε at the threshold
  Index worst_cell;                ///< the cell of the least p̂ at the threshold
  Probability<Real> infimum;       ///< ϱ as defined
  /// The cell of least margin, where that is negative: a wrong answer beats its right one, so its p̂ tends to
  /// 0 as η → ∞, and so does ϱ as defined. Nothing where the infimum is the value at the threshold.
  std::optional<Index> lost_cell;
};

/// ϱ both ways; nothing when no step size retrieves any class with probability 1 - ε. 0 < ε < 1/2, K >= 2.
/// std::invalid_argument for another ε or arrays of unequal length; std::domain_error when log_odds
/// contradicts the margins (logits that are not linear in η, or not numbers).
template <class Real>
std::optional<OneStepRho<Real>> one_step_rho(const OneStepLogits<Real>& logits, const Real& epsilon);

/// min_l p̂(l|l) after a step of size η.
template <class Real>
Probability<Real> least_probability(const OneStepLogits<Real>& logits, const Real& step_size);

}  // namespace rarefact
