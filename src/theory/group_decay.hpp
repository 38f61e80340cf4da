#pragma once

/// The excess loss of gradient descent on a noisy power law (li2026, Theorem 5.7), with the decay of a class
/// as it is instead of a single exponential. Under gradient flow the excess loss of a class of probability p
/// at time t is F(p t), one function for all classes, so the sum over groups of mass p̃_i = p̃_1 i^{-s} has the
/// integral form
///
///     L(t) - L* ≈ p̃_1 ∫₁^M z^{-s} F(p_1 t z^{-s}) dz = (p̃_1/s) (p_1 t)^{-q} ∫ u^{q-1} F(u) du,   q = 1 -
///     1/s,
///
/// u from p_1 t M^{-s} to p_1 t. While 1 ≪ p_1 t ≪ M^s the integral is over all u: the exponent -q is exact,
/// and the constant is that moment of F. K is `class_total` >= 2, α is `label_noise` in (0, 1), s > 1, 0 < q
/// < 1. In double; relative error below 1e-10.

namespace rarefact {

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

}  // namespace rarefact
