#pragma once

/// Scaling laws, stability limits and the cycle of li2026 as numbers. K is `class_total` >= 2, α is
/// `label_noise` in [0, 1), η is `step_size` > 0; π₁ = 1 - α + α/K and m* as in model/margin.hpp. Real is
/// double or Real50. Numbers outside the stated intervals:
/// std::invalid_argument.

namespace rarefact::checks::li2026 {

/// The sum over groups Σ_i i^{-s} e^{-a i^{-s}} of gradient descent on a noisy power law (li2026,
/// Theorem 5.7) in its integral form,
///
///     I(a) = ∫₁^M z^{-s} e^{-a z^{-s}} dz = (1/s) a^{-q} [Γ(q, a M^{-s}) - Γ(q, a)],   q = 1 - 1/s,
///
/// Γ(q, x) the upper incomplete gamma function. a is the time in units in which the most frequent class
/// decays as e^{-a}. Exponent s > 1, groups M >= 2, a > 0.
template <class Real>
Real group_sum_integral(const Real& exponent, const Real& groups, const Real& time);

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

/// |m*/η - the nearest whole number|, in [0, ½]: near 0 one point of the cycle sits on the minimum, and every
/// other step reads a vanishing excess loss. α > 0.
template <class Real>
Real cycle_offset(const Real& step_size, const Real& class_total, const Real& label_noise);

// The excess loss of gradient descent on a noisy power law (li2026, Theorem 5.7), with the decay of a class
// as it is instead of a single exponential. Under gradient flow the excess loss of a class of probability p
// at time t is F(p t), one function for all classes, so the sum over groups of mass p̃_i = p̃_1 i^{-s} has the
// integral form
//
//     L(t) - L* ≈ p̃_1 ∫₁^M z^{-s} F(p_1 t z^{-s}) dz = (p̃_1/s) (p_1 t)^{-q} ∫ u^{q-1} F(u) du,   q = 1 -
//     1/s,
//
// u from p_1 t M^{-s} to p_1 t. While 1 ≪ p_1 t ≪ M^s the integral is over all u: the exponent -q is exact,
// and the constant is that moment of F. K is `class_total` >= 2, α is `label_noise` in (0, 1), s > 1, 0 < q
// < 1. In double; relative error below 1e-10.

/// F(u), the excess loss of a class under gradient flow at u = p t >= 0. F(0) = ln K - L*.
double flow_excess(double class_total, double label_noise, double scaled_time);

/// ∫_from^to u^{q-1} F(u) du, 0 <= from < to <= infinity. By parts and with the distance δ = m* - m as
/// variable,
///     [u^q F/q] + (1/q) ∫ u^q (π₁ - p̂) dδ,   u = (Φ(m*) - Φ(δ))/((K/(K-1)) π₁ (1-π₁)),
///     Φ(δ) = (1-π₁) δ + ln(1 - e^{-δ}).
double excess_moment(double q, double from, double to, double class_total, double label_noise);

/// π₁^{1-q} m*^{1+q}/(q (1+q)): what the moment over all u tends to as K → ∞. A class has to climb to m* ≈ ln
/// K first, so the excess loss grows as (ln K)^{2-1/s}; the published lower bound has ln K.
double excess_moment_of_many_classes(double q, double class_total, double label_noise);

/// The integral form above. `first_mass` is p̃_1, `scaled_time` p_1 t > 0 and `groups` M >= 2.
double group_excess_integral(double exponent, double groups, double first_mass, double scaled_time,
                             double class_total, double label_noise);

/// The rate c at which a single exponential F(0) e^{-c u} has the same moment over all u, so that the
/// published form p̃_1 F(0) group_sum_integral(s, M, c p_1 t) has the right constant.
double equivalent_rate(double q, double class_total, double label_noise);

}  // namespace rarefact::checks::li2026
