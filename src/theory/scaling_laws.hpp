#pragma once

/// Scaling laws, stability limits and the cycle of li2026 as numbers. K is `class_total` >= 2, α is
/// `label_noise` in [0, 1), η is `step_size` > 0; π₁ = 1 - α + α/K and m* as in model/margin.hpp. Real is
/// double or Real50. Numbers outside the stated intervals:
/// std::invalid_argument.

namespace rarefact {

/// The sum over groups Σ_i i^{-s} e^{-a i^{-s}} of gradient descent on a noisy power law (li2026,
/// Theorem 5.7) in its integral form,
///
///     I(a) = ∫₁^M z^{-s} e^{-a z^{-s}} dz = (1/s) a^{-q} [Γ(q, a M^{-s}) - Γ(q, a)],   q = 1 - 1/s,
///
/// Γ(q, x) the upper incomplete gamma function. a is the time in units in which the most frequent class
/// decays as e^{-a}. Exponent s > 1, groups M >= 2, a > 0.
template <class Real>
Real group_sum_integral(const Real& exponent, const Real& groups, const Real& time);

/// Γ(q)/s a^{-q}: what I(a) tends to while 1 ≪ a ≪ M^s.
template <class Real>
Real group_sum_limit(const Real& exponent, const Real& time);

/// d ln I/d ln a = -q + (a^q e^{-a} - x^q e^{-x})/(Γ(q, x) - Γ(q, a)), x = a M^{-s}: the exponent that a fit
/// near a would see. Falls strictly from 0 (a → 0) through -q to -∞ (a → ∞), as minus the mean of a gamma
/// distribution of shape q truncated to [x, a]. Absolute error of a few eps; not a number where I itself
/// underflows (in double, x beyond 700).
template <class Real>
Real group_sum_slope(const Real& exponent, const Real& groups, const Real& time);

/// Times between which the local slope is within `tolerance` of -q: outside of it no fit can measure the law.
template <class Real>
struct TimeWindow {
  Real low, high;
};

/// 0 < tolerance < q; M^s within the range of Real. Never empty; wide only if M^s is large.
template <class Real>
TimeWindow<Real> group_sum_window(const Real& exponent, const Real& groups, const Real& tolerance);

/// η p_max (K/(K-1)) π₁ (1-π₁): gradient descent is stable at the optimum of every class if and only if this
/// is below 2 (the linear part of m ← m + η p (K/(K-1)) (π₁ - p̂(m))). li2026, Proposition 5.4 states η p_max
/// ≲ 1.
template <class Real>
Real gd_stability_number(const Real& step_size, const Real& largest_probability, const Real& class_total,
                         const Real& label_noise);

/// The step size at which that number is 2; infinite at α = 0.
template <class Real>
Real gd_stability_limit(const Real& largest_probability, const Real& class_total, const Real& label_noise);

/// Excess loss at the distance δ = m* - m, ln(π₁ + (1-π₁) e^δ) - (1-π₁) δ, for every margin of a class whose
/// wrong logits agree. Needs α > 0.
template <class Real>
Real excess_at_distance(const Real& distance, const Real& class_total, const Real& label_noise);

/// Muon's 2-cycle around m* has two margins η apart (li2026, Theorem 5.1), so none is further than η from m*.
template <class Real>
struct CycleBound {
  Real leading;  ///< ½ π₁ (1-π₁) η²
  Real exact;    ///< the larger excess loss at distance η, of the two sides
};

template <class Real>
CycleBound<Real> cycle_excess_bound(const Real& step_size, const Real& class_total, const Real& label_noise);

/// m*/ln K: with η = c ln K/T, T steps reach the cycle only if c is larger (li2026, Theorem 5.8). α > 0.
template <class Real>
Real least_cycle_constant(const Real& class_total, const Real& label_noise);

/// |m*/η - the nearest whole number|, in [0, ½]: near 0 one point of the cycle sits on the minimum, and every
/// other step reads a vanishing excess loss. α > 0.
template <class Real>
Real cycle_offset(const Real& step_size, const Real& class_total, const Real& label_noise);

/// 1/C + M/C, M groups of C classes: bound of ‖msgn(P - P̂_t) - I‖_max (li2026, after Proposition 6.1).
template <class Real>
Real preconditioner_bound(const Real& groups, const Real& group_size);

}  // namespace rarefact
