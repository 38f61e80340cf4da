#pragma once

#include <cmath>

namespace rarefact {

/// A running sum with its rounding error carried along (Neumaier's form of Kahan summation): the error of
/// value() is one rounding plus terms of second order in the machine epsilon, whatever the number, order and
/// size of the terms. So a term can be added and subtracted again without loss of digits in the others.
template <class Real>
struct CompensatedSumOf {
  Real high = Real(0);  ///< the sum with plain rounding
  Real low = Real(0);   ///< the accumulated rounding errors of `high`

  void add(const Real& x) {
    using std::abs;
    const Real sum = high + x;
    low += abs(high) >= abs(x) ? Real((high - sum) + x) : Real((x - sum) + high);
    high = sum;
  }
  Real value() const { return high + low; }
  Real without(const Real& x) const {
    CompensatedSumOf rest = *this;
    rest.add(-x);
    return rest.value();
  }
};
using CompensatedSum = CompensatedSumOf<double>;

/// x <- x + y; the rounding error is carried to the next term, so that sums of millions of small terms keep every digit.
template <class Real>
void add_carried(Real& x, Real& left_out, Real y) {
  y += left_out;
  const Real sum = x + y, added = sum - x;
  left_out = (x - (sum - added)) + (y - added);
  x = sum;
}

}  // namespace rarefact
