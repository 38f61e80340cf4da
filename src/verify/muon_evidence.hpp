#pragma once

// What the checks of Muon's first and later steps share.

#include <cmath>
#include <limits>

#include "verify/one_step_evidence.hpp"

namespace rarefact::checks {

/// x of a deficit e^x - 1 with x = c ln(K(1-ε)/ε)/K, c the sharp constant: what is left out when the deficit
/// is compared with x is of the order of x itself.
inline double deficit_scale(double constant, double total, double epsilon) {
  return constant * std::log(total * (1 - epsilon) / epsilon) / total;
}

/// Relative error of a number of order 1/K that is what rounding leaves of numbers of order ln K; 50 digits
/// leave all of a double.
inline double lost_digits(const EvidencePoint& point) {
  constexpr double rounding = 1e-12;
  if (point.experiment.precision == 50) return rounding;
  return rounding + 100 * std::numeric_limits<double>::epsilon() * point.class_total();
}

/// A tolerance beyond this would be met by anything: noise has to fail.
inline double capped(double tolerance) {
  return std::min(tolerance, 0.01);
}

inline double deficit_constant(const Evidence& evidence, const EvidencePoint& point) {
  return in_precision(evidence, [&](auto zero) {
    using Real = decltype(zero);
    return muon_deficit_constant<Real>(groups_of(point), Real(point.experiment.rho_epsilon));
  });
}

/// K times the largest entry of msgn(X) - I, which depends on the shares n_i/K and on ratios of p alone. Own
/// entries are 1 + other(i, i), so the others have it, with all their digits.
inline double deviation_constant(const Evidence& evidence, const EvidencePoint& point) {
  return in_precision(evidence, [&](auto zero) {
    using Real = decltype(zero);
    const Real largest = muon_direction<Real>(groups_of(point)).other_entries().cwiseAbs().maxCoeff();
    return Real(largest * Real(point.class_total()));
  });
}

}  // namespace rarefact::checks
