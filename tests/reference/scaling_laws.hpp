#pragma once

/// Limits of li2026's laws that only tests need.

#include <cmath>
#include <limits>

#include "verify/li2026/scaling_laws.hpp"

namespace rarefact::checks::li2026 {

/// Γ(q)/s a^{-q}: what I(a) tends to while 1 ≪ a ≪ M^s.
template <class Real>
Real group_sum_limit(const Real& exponent, const Real& time) {
  using std::pow, std::tgamma;
  const Real q = Real(1) - Real(1) / exponent;
  return tgamma(q) / exponent * pow(time, Real(-q));
}

/// The step size at which the stability number is 2; infinite at α = 0.
template <class Real>
Real gd_stability_limit(const Real& largest_probability, const Real& class_total, const Real& label_noise) {
  const Real per_step = gd_stability_number<Real>(Real(1), largest_probability, class_total, label_noise);
  return per_step > Real(0) ? Real(Real(2) / per_step) : std::numeric_limits<Real>::infinity();
}

}  // namespace rarefact::checks::li2026
