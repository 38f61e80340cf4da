#pragma once

/// Entrywise operations on single numbers: constants, bounds, bodies of lambdas, and what tiles take one by one.

#include <algorithm>
#include <cmath>

#include "core/real50.hpp"
#include "optim/formula/graph.hpp"

namespace rarefact::formula {

/// sign(0) = 0; not-a-number stays what it is.
template <class Real>
Real sign_of(const Real& x) {
  return x > Real(0) ? Real(1) : x < Real(0) ? Real(-1) : x;
}

/// x^p; 0 of 0 where p < 0.
template <class Real>
Real power_of(const Real& x, double p) {
  using std::pow;
  if (x == Real(0)) return Real(p == 0 ? 1 : 0);
  return pow(x, Real(p));
}

/// tanh, by e^-2|x|, which neither overflows nor loses what small arguments are.
template <class Real>
Real tangent_of(const Real& x) {
  using std::abs, std::expm1;
  const Real less = expm1(Real(Real(-2) * abs(x)));
  const Real value = -less / (less + Real(2));
  return x < Real(0) ? Real(-value) : value;
}

/// 0/0 = 0.
template <class Real>
Real quotient_of(const Real& x, const Real& y) {
  return x == Real(0) && y == Real(0) ? Real(0) : Real(x / y);
}

/// The value of an entrywise node of these arguments.
template <class Real>
Real number_value(const Node& node, const Real* x) {
  using std::abs, std::exp, std::log, std::pow, std::sqrt;
  switch (node.op) {
    case Op::add:
      return x[0] + Real(node.number) * x[1];
    case Op::multiply:
      return x[0] * x[1];
    case Op::divide:
      return quotient_of(x[0], x[1]);
    case Op::power:
      return power_of(x[0], node.number);
    case Op::raise:
      return pow(x[0], x[1]);
    case Op::minimum:
      return std::min(x[0], x[1]);
    case Op::maximum:
      return std::max(x[0], x[1]);
    case Op::where:
      return x[0] > x[1] ? x[2] : x[3];
    case Op::absolute:
      return abs(x[0]);
    case Op::sign:
      return sign_of(x[0]);
    case Op::root:
      return sqrt(x[0]);
    case Op::exponential:
      return exp(x[0]);
    case Op::logarithm:
      return log(x[0]);
    default:
      return tangent_of(x[0]);
  }
}

}  // namespace rarefact::formula
