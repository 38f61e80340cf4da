#pragma once

/// The margin of a class as a function of time, in closed form. Real is double or Real50.

#include <cstdint>

#include "model/margin.hpp"

namespace rarefact {

/// A margin m on its way to the optimum m*. Neither number is m* minus the other where that would lose digits.
template <class Real>
struct PredictedMargin {
  Real value;  ///< m
  Real left;   ///< δ = m* - m, infinite without label noise

  Real error(const Real& total, const Real& noise) const {  ///< 1 - p̂
    return value < left ? error_of_margin<Real>(value, total) : error_at_distance<Real>(left, total, noise);
  }
  Real shortfall(const Real& total, const Real& noise) const {  ///< π₁ - p̂
    return noise == 0 ? error_of_margin<Real>(value, total) : shortfall_at_distance<Real>(left, total, noise);
  }
  Real excess_loss(const Real& total, const Real& noise) const {
    return noise == 0 ? excess_loss_of_margin<Real>(value, total, noise)
                      : excess_loss_at_distance<Real>(left, total, noise);
  }
};

/// p K/(K-1), the growth of the margin per unit of time and of π₁ - p̂: the right logit moves by p (π₁ - p̂),
/// each of the K - 1 wrong ones by -p (π₁ - p̂)/(K-1).
template <class Real = double>
Real margin_speed(Given<Real> class_probability, Given<Real> class_total) {
  return class_probability * (class_total / (class_total - 1));
}

/// Margin of a class of probability p after time t of gradient flow from margin 0. Needs t >= 0, K >= 2. Late times give
/// m*, never NaN. The errors of m and δ are a few units in their last places, or as large as that of t makes them.
///
///     α = 0:  m = c - W₀(e^c/(K-1)),  c = (p K t + 1)/(K-1)
///     α > 0:  (1-π₁) δ + ln(1 - e^{-δ}) = (1-π₁) m* + ln(1 - e^{-m*}) - p (K/(K-1)) π₁ (1-π₁) t,  m = m* - δ
///             and p (K/(K-1)) t = m/π₁ - ln(1 - α (e^m - 1)/((1-α) K))/(π₁ (1-π₁)) while m < δ
template <class Real = double>
PredictedMargin<Real> flow_margin(Given<Real> class_probability, Given<Real> class_total,
                                  Given<Real> label_noise, Given<Real> time);

/// The margin at which gradient descent with decay λ > 0 ends, where p (K/(K-1)) (π₁ - p̂) = λm; without label noise
/// m (e^m + K - 1) = pK/λ, and the error is below ½ if p > 2λ (K-1) ln(K-1)/K.
template <class Real = double>
Real l2_margin(Given<Real> class_probability, Given<Real> class_total, Given<Real> decay,
               Given<Real> label_noise);

/// m_t of m ← m + h sign(m* - m), m_0 = 0, with h = `stride` > 0, m* = `optimum` (may be infinite), sign(0) = 0, in closed
/// form. With n = ⌈m*/h⌉, m* > 0: m_t = h t for t <= n, then alternating between h (n-1) and h n, or at rest if m* = h n;
/// -m_t for -m*. If m*/h is whole up to rounding, the last digit decides which.
template <class Real = double>
Real sign_walk(Given<Real> stride, Given<Real> optimum, std::int64_t step);

}  // namespace rarefact
