#pragma once

/// How the margin of a class moves, in closed form. Real is double or Real50.

#include <cstdint>

#include "core/types.hpp"

namespace rarefact {

/// p K/(K-1): the margin's gain per unit of time and of π₁ - p̂. The right logit moves by p (π₁ - p̂), each of
/// the K - 1 wrong ones by minus a (K-1)-th of it.
template <class Real = double>
Real margin_speed(Given<Real> class_probability, Given<Real> class_total) {
  return class_probability * (class_total / (class_total - 1));
}

/// Margin of a class of probability p after time t of gradient flow from margin 0. Needs t >= 0, K >= 2. Late
/// times give m*, never NaN. The absolute error is a few units in the last place of ln K, or of m* where α >
/// 0.
///
///     α = 0:  m = c - W₀(e^c/(K-1)),  c = (p K t + 1)/(K-1)
///     α > 0:  (1-π₁) δ + ln(1 - e^{-δ}) = (1-π₁) m* + ln(1 - e^{-m*}) - p (K/(K-1)) π₁ (1-π₁) t,  m = m* - δ
template <class Real = double>
Real flow_margin(Given<Real> class_probability, Given<Real> class_total, Given<Real> label_noise,
                 Given<Real> time);

/// The walk of a margin whose steps know only the direction: m_t of m ← m + h sign(m* - m), m_0 = 0, with h = `stride` > 0, m* = `optimum` > 0 (infinity: never
/// reached) and sign(0) = 0, in closed form. With n = ⌈m*/h⌉ the walk climbs, m_t = h t for t <= n, then
/// alternates between h (n-1) and h n for ever; if m* = h n exactly it rests there. Where m*/h is within
/// rounding of a whole number, the last digit of the numbers decides which side it is on.
template <class Real = double>
Real sign_walk(Given<Real> stride, Given<Real> optimum, std::int64_t step);

}  // namespace rarefact
