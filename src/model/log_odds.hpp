#pragma once

/// Softmax functions of the log-odds λ = ln(wrong/right), without cancellation: 1 - p̂ is not computed as a
/// subtraction from 1, nor an excess loss as a difference of losses.

#include <cmath>
#include <limits>

namespace rarefact {

/// ln(1 + e^x): the loss -ln p̂(l|l) at log-odds x. Relative accuracy for x -> -inf, no overflow for x -> inf.
template <class Real>
Real softplus(const Real& x) {
  using std::exp;
  using std::log1p;
  return x > Real(0) ? Real(x + log1p(exp(Real(-x)))) : Real(log1p(exp(x)));
}

/// 1/(1 + e^-x): the error 1 - p̂(l|l) at log-odds x. It becomes subnormal where softplus does.
template <class Real>
Real logistic(const Real& x) {
  using std::exp;
  if (x < Real(-700)) return Real(exp(x));  // e^-x would overflow before e^x underflows
  return Real(1) / (Real(1) + exp(Real(-x)));
}

/// e^x - 1 - x >= 0, accurate for small x: one term π h(ln p̂ - ln π) of a Kullback-Leibler divergence.
template <class Real>
Real exp_remainder(const Real& x) {
  using std::abs;
  using std::expm1;
  if (!(abs(x) <= Real(0.5))) return Real(expm1(x) - x);  // also for NaN
  Real term = x * x / Real(2), sum = Real(0);
  for (int k = 3; abs(term) > abs(sum) * std::numeric_limits<Real>::epsilon() / Real(8); ++k) {
    sum += term;
    term *= x / Real(k);
  }
  return sum;
}

/// The power of two by which a residual is scaled if its entries for wrong answers, of probability at most
/// e^log_wrong, come near the smallest doubles; else 0. The scale is half way between them and the entry of
/// the right answer, which is K times as large, so that neither underflows or overflows for K up to 1e300.
inline int underflow_shift(double log_wrong, double log_classes) {
  const double log_largest = log_wrong + log_classes / 2;
  const double concern = -50;
  const double hopeless = -1e6;  // beyond any scale of doubles: the gradient is zero
  if (!(log_largest < concern) || log_largest < hopeless) return 0;
  return static_cast<int>(std::ceil(log_largest / 0.69314718055994530942));
}

/// A probability of a wrong answer above which that power is 0: e^-50, rounded up.
inline constexpr double no_underflow = 2e-22;

}  // namespace rarefact
