#pragma once

/// The excess loss of gradient descent on a noisy power law (li2026, Theorem 5.7), with the exact decay of a
/// class instead of a single exponential. Under gradient flow the excess loss of a class of probability p at
/// time t is F(p t), one function for all classes, so the sum over groups of mass p̃_i = p̃_1 i^{-s} is
///
///     L(t) - L* ≈ p̃_1 ∫₁^M z^{-s} F(p_1 t z^{-s}) dz = (p̃_1/s) (p_1 t)^{-q} ∫ u^{q-1} F(u) du,   q = 1 - 1/s,
///
/// u from p_1 t M^{-s} to p_1 t. While 1 ≪ p_1 t ≪ M^s the integral is over all u: the exponent -q is exact, and the constant
/// is that moment of F.
///
/// K is `class_total` >= 2, α is `label_noise` in (0, 1), s is `exponent` > 1, M is `groups` >= 2; other
/// arguments throw std::invalid_argument. Relative errors are below 1e-10.

namespace rarefact {

/// F(u), the excess loss of a class under gradient flow at u = p t >= 0. F(0) = ln K - L*.
double flow_excess(double class_total, double label_noise, double scaled_time);

/// ∫_from^to u^{q-1} F(u) du, 0 <= from < to <= infinity, 0 < q < 1. By parts and with the distance δ = m* - m as variable,
///     [u^q F/q] + (1/q) ∫ u^q (π₁ - p̂) dδ,   u = (Φ(m*) - Φ(δ))/((K/(K-1)) π₁ (1-π₁)),
///     Φ(δ) = (1-π₁) δ + ln(1 - e^{-δ}).
double excess_moment(double q, double from, double to, double class_total, double label_noise);

/// The integral form above. `first_mass` is p̃_1, `scaled_time` p_1 t > 0.
double group_excess_integral(double exponent, double groups, double first_mass, double scaled_time,
                             double class_total, double label_noise);

/// d ln I/d ln a of the published form with a single exponential for the decay of a class,
///     I(a) = ∫₁^M z^{-s} e^{-a z^{-s}} dz = (1/s) a^{-q} [Γ(q, a M^{-s}) - Γ(q, a)],
/// Γ(q, x) the upper incomplete gamma function, a > 0. It decreases strictly from 0 (a → 0) through -q to -∞
/// (a → ∞), being minus the mean of a gamma distribution of shape q truncated to [a M^{-s}, a]. Absolute
/// error of a few eps; NaN if I itself underflows (a M^{-s} beyond 700).
double group_sum_slope(double exponent, double groups, double time);

/// The range of p_1 t in which local slopes of the loss are within `tolerance` of -q, 0 < tolerance < q; no fit outside of
/// it can measure the law. For a single exponential with the same constant; from `low` on, the ripple from the steps of the
/// sum in i is within the tolerance, too, which requires `done` groups at the optimum.
struct GroupLawWindow {
  double low, high, done;
};
GroupLawWindow group_law_window(double exponent, double groups, double class_total, double label_noise,
                                double tolerance);

}  // namespace rarefact
