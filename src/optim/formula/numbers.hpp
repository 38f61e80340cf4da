#pragma once

/// Functions of numbers with the conventions of the language.

#include <cmath>

#include "core/real50.hpp"

namespace rarefact::formula {

/// The sign, with sign(0) = 0; NaN stays NaN.
template <class Real>
Real sign_of(const Real& x) {
  return x > Real(0) ? Real(1) : x < Real(0) ? Real(-1) : x;
}

/// x^p, with 0^p = 0 for p < 0.
template <class Real>
Real power_of(const Real& x, double p) {
  using std::pow;
  if (x == Real(0)) return Real(p == 0 ? 1 : 0);
  return pow(x, Real(p));
}

/// tanh by e^-2|x|, which neither overflows nor loses digits of small arguments.
template <class Real>
Real tangent_of(const Real& x) {
  using std::abs, std::expm1;
  const Real less = expm1(Real(Real(-2) * abs(x)));
  const Real value = -less / (less + Real(2));
  return x < Real(0) ? Real(-value) : value;
}

/// 2^shift x; what underflows keeps its sign, as the smallest normal number.
template <class Real>
Real shifted(const Real& x, int shift) {
  using std::abs, std::ldexp;
  const Real least = std::numeric_limits<Real>::min(), y = ldexp(x, shift);
  return abs(y) < least ? Real(least * sign_of(x)) : y;
}

/// 0/0 = 0.
template <class Real>
Real quotient_of(const Real& x, const Real& y) {
  return x == Real(0) && y == Real(0) ? Real(0) : Real(x / y);
}

}  // namespace rarefact::formula
