#pragma once

#include <cmath>

namespace rarefact {

/// A running sum with its rounding error carried along (Neumaier's form of Kahan summation): the error of
/// value() is one rounding plus terms of second order in the machine epsilon, whatever the number, order and
/// size of the terms.
struct CompensatedSum {
  double high = 0;  ///< the sum with plain rounding
  double low = 0;   ///< the accumulated rounding errors of `high`

  void add(double x) {
    const double sum = high + x;
    low += std::abs(high) >= std::abs(x) ? (high - sum) + x : (x - sum) + high;
    high = sum;
  }
  double value() const { return high + low; }
};

/// x <- x + y; the rounding error is carried to the next term, so that sums of millions of small terms have
/// every digit.
template <class Real>
void add_carried(Real& x, Real& left_out, Real y) {
  y += left_out;
  const Real sum = x + y, added = sum - x;
  left_out = (x - (sum - added)) + (y - added);
  x = sum;
}

}  // namespace rarefact
