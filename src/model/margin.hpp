#pragma once

/// Error and loss of a class whose K - 1 wrong logits are equal, as functions of its margin m = right - wrong
/// logit. K is `class_total` in [2, 1e300], α is `label_noise` in [0, 1), m any finite number. Nearly equal
/// numbers are never subtracted: values have an error of a few units in the last place, even if they are
/// 1e-300.
///
/// Real is double or Real50. It is never deduced, so optimal_margin(64, 0) is a double.
///
/// Notation: π₁ = 1 - α + α/K is the right answer's probability, p̂ = 1/(1 + (K-1)e^{-m}) the memory's, and δ
/// = m* - m the remaining distance, m* = ln(π₁(K-1)/(1-π₁)) the margin where p̂ = π₁.

#include "core/types.hpp"

namespace rarefact {

/// π₁ = 1 - α + α/K: probability of the right answer under label noise α.
template <class Real = double>
Real right_answer_probability(Given<Real> class_total, Given<Real> label_noise);

/// 1 - π₁ = α (K-1)/K: probability of all wrong answers together.
template <class Real = double>
Real wrong_answer_probability(Given<Real> class_total, Given<Real> label_noise);

/// m* = ln(π₁ (K-1) / (1-π₁)): the margin of least loss; +infinity at α = 0.
template <class Real = double>
Real optimal_margin(Given<Real> class_total, Given<Real> label_noise);

/// δ = m* - m, to an absolute error of about 1e-15 (1 + |δ|) whatever the size of m and m*; +infinity at α =
/// 0.
template <class Real = double>
Real distance_to_optimum(Given<Real> margin, Given<Real> class_total, Given<Real> label_noise);

/// 1 - p̂ = (K-1) e^{-m} / (1 + (K-1) e^{-m}).
template <class Real = double>
Real error_of_margin(Given<Real> margin, Given<Real> class_total);

/// π₁ - p̂ at the distance δ from the optimum: π₁ (1-π₁) (e^δ - 1) / (π₁ + (1-π₁) e^δ). Needs α > 0; δ may be
/// negative (the margin is beyond the optimum).
template <class Real = double>
Real shortfall_at_distance(Given<Real> distance, Given<Real> class_total, Given<Real> label_noise);

/// 1 - p̂ at the distance δ from the optimum. Needs α > 0.
template <class Real = double>
Real error_at_distance(Given<Real> distance, Given<Real> class_total, Given<Real> label_noise);

/// KL(π || p̂) at the distance δ from the optimum: the excess loss. Second order in δ near m*. Needs α > 0.
template <class Real = double>
Real excess_loss_at_distance(Given<Real> distance, Given<Real> class_total, Given<Real> label_noise);

/// KL(π || p̂) = L_l - L_l* in nats: the excess loss; equals L_l at α = 0. Second order in δ near m*.
template <class Real = double>
Real excess_loss_of_margin(Given<Real> margin, Given<Real> class_total, Given<Real> label_noise);

/// ln K - L, with every digit near m = 0 too.
template <class Real = double>
Real loss_drop_of_margin(Given<Real> margin, Given<Real> class_total, Given<Real> label_noise);

/// L* = -π₁ ln π₁ - (K-1)(α/K) ln(α/K) in nats: the irreducible loss.
template <class Real = double>
Real irreducible_loss(Given<Real> class_total, Given<Real> label_noise);

}  // namespace rarefact
