#pragma once

/// One step from W = 0 in closed form (wang2025, Theorem 5.3), at every K. It moves the logits by η times a *direction*,
/// whose entry (k, l) is the logit of answer k to query l for η = 1. The start has p̂ = 1/K, so minus the gradient in the
/// task basis is X = diag(p) - (1/K) 1 pᵀ. Real is double or Real50. No optimizer is called.

#include "algebra/symmetric_parts.hpp"
#include "model/observation.hpp"
#include "model/spectrum.hpp"

namespace rarefact {

// ϱ(ε) of one step from W = 0 (wang2025, section 5.1): the least retrieval probability of any class once the
// best class is retrieved with probability 1 - ε or more,
//
//     ϱ = inf over step sizes η with max_l p̂(l|l) >= 1-ε of min_l p̂(l|l).
//
// Logits are linear in η, so λ_l(η) = ln(p̂(wrong)/p̂(right)) of class l is a logarithm of a sum of
// exponentials of linear functions: convex, with λ_l(0) = ln(K-1) and slope -margin_l at infinity. Three
// facts follow, and with them ϱ needs one bracketed root and no minimisation:
//
//   * For ε < 1/2 a class whose right answer does not beat every wrong one (margin <= 0) never reaches 1-ε;
//     every other λ_l falls for ever. So the admissible step sizes are [threshold, ∞), or there are none.
//   * With m the largest margin, the threshold lies between ln((1-ε)/ε)/m and (ln(K-1) + ln((1-ε)/ε))/m.
//   * A class with margin >= 0 only gains from larger steps, one with margin < 0 is lost in the limit. So
//     the infimum is 0 if any margin is negative, and otherwise it is the value at the threshold.
//
// The logits may come from a closed form, or from a run of an optimizer on any engine.

/// A probability and its complement, neither the difference of 1 and the other: 1e-36 and 1 - 1e-36 keep their digits.
template <class Real>
struct Probability {
  Real value;
  Real complement;
};

/// A step from zero as input of the search for ϱ. A cell is a set of classes with equal margins and log-odds.
template <class Real>
struct OneStepLogits {
  /// ln(p̂(wrong)/p̂(right)) of every cell after a step of size η >= 0, natural logarithm. Where a program
  /// reports error e = 1 - p̂ and loss L = -ln p̂ of a class, this is ln(e) + L, with the digits of both.
  std::function<VectorOf<Real>(const Real& step_size)> log_odds;
  /// Right logit minus the largest wrong one, for a step of size 1. Its sign must be exact, including 0.
  VectorOf<Real> margin;
};

template <class Real>
struct OneStepRho {
  Real threshold;                  ///< the smallest admissible step size
  Probability<Real> at_threshold;  ///< min_l p̂ there
  /// ϱ as defined: 0 if a margin is negative, since its p̂ tends to 0 as η → ∞.
  Real infimum;
};

/// ϱ at the threshold and as defined; nullopt if no step size retrieves any class with probability 1 - ε. 0 < ε < 1/2, K >=
/// 2, else std::invalid_argument; std::domain_error if log_odds contradicts the margins (not linear in η, or NaN).
template <class Real>
std::optional<OneStepRho<Real>> one_step_rho(const OneStepLogits<Real>& logits, const Real& epsilon);

/// ϱ of gradient descent, for any spectrum and orthonormal embeddings:
///
///     ϱ = 1 / (1 + (K-1)^{1-r} (ε/(1-ε))^r),   r = min p / max p.
///
/// K in [2, 1e300], 0 < r <= 1, 0 < ε < 1; std::invalid_argument otherwise. Accurate to a few units in the last place, as
/// is its complement. It is both ϱ at the threshold and the infimum. (wang2025, Theorem 5.3 states O(ε^{-r} K^{r-1}).)
template <class Real>
Probability<Real> rho_gd(const Real& class_total, const Real& probability_ratio, const Real& epsilon);

/// A step after which all wrong logits of a query are equal, as under rules on columns: λ = ln(K-1) - η margin.
template <class Real>
OneStepLogits<Real> logits_of_margins(const VectorOf<Real>& margins, const Real& class_total);

/// The right answer of each column of a direction. Empty: column l has answer l.
using RightAnswers = std::vector<Index>;

/// A direction of the dense or of the symmetric algebra; a cell for each column, or type of column. `right`:
/// the row of the right answer of each, in the symmetric algebra its type within the group.
template <class M>
OneStepLogits<typename M::Scalar> logits_of_direction(const M& direction, const RightAnswers& right = {});

/// msgn(X), the direction of Muon with any orthonormal embeddings and any number of groups: +1 on contrasts
/// inside a group and msgn(Y) between groups, Y = (I - uuᵀ) diag(p) with u_i = (n_i/K)^½. O(M³). In double
/// the products (p_j/max p)(n_i n_j)^½/K must stay above 1e-300. Equicorrelated queries of cosine ρ have A^½ = √(1-ρ) on
/// contrasts and √(1-ρ+Kρ) along u: the direction is msgn(X A^½) A^½.
template <class Real>
SymmetricMatrix<Real> muon_direction(const ClassGroups& groups, Given<Real> cosine = Real(0));

/// c of Muon's relative deficit (1-ϱ)/ε - 1 = c ln(K(1-ε)/ε)/K · (1 + O(ln K/K)) as K → ∞ with the shares
/// f_i = n_i/K of the groups fixed (wang2025, Theorem 5.3 states O(log K/K)):
///
///     c = (1-ε) (max_i b_i - min_i b_i),   b_i = (msgn(Y)_ii - 1)/f_i,   Y as in muon_direction.
///
/// Column j of msgn(X) has right logit 1 + b_j/K; its wrong ones are O(1/K) with mean -1/(K-1) of that, so
/// the log-odds of two classes at step size η ≈ ln(K(1-ε)/ε) are η (b_i - b_j)/K apart, and 1 - p̂ = ε of the
/// best class gains the factor 1 + (1-ε) of that. Y depends on the shares and ratios of p alone. Error a few
/// eps/min f_i. One group: 0. 0 < ε < 1, std::invalid_argument otherwise.
template <class Real>
Real muon_deficit_constant(const ClassGroups& groups, Given<Real> epsilon);

}  // namespace rarefact
