#pragma once

/// The walk of a margin whose steps know only the direction.

#include <cstdint>

#include "core/types.hpp"

namespace rarefact {

/// m_t of m ← m + h sign(m* - m), m_0 = 0, with h = `stride` > 0, m* = `optimum` > 0 (infinity: never
/// reached) and sign(0) = 0, in closed form. With n = ⌈m*/h⌉ the walk climbs, m_t = h t for t <= n, then
/// alternates between h (n-1) and h n for ever; if m* = h n exactly it rests there. Where m*/h is within
/// rounding of a whole number, the last digit of the numbers decides which side it is on.
/// Real is double or Real50.
template <class Real = double>
Real sign_walk(Given<Real> stride, Given<Real> optimum, std::int64_t step);

}  // namespace rarefact
