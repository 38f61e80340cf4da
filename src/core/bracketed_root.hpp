#pragma once

#include <boost/math/tools/toms748_solve.hpp>
#include <cstdint>
#include <utility>

namespace rarefact {

/// Two numbers in [low, high], nearly as close as Real allows, between which the continuous f changes sign.
/// Precondition: f(low) and f(high) have different signs, or one of them is 0.
template <class Real, class Function>
std::pair<Real, Real> bracketed_root(const Function& f, const Real& low, const Real& high, const Real& at_low,
                                     const Real& at_high) {
  std::uintmax_t rounds = 1000;
  return boost::math::tools::toms748_solve(f, low, high, at_low, at_high,
                                           boost::math::tools::eps_tolerance<Real>(), rounds);
}
template <class Real, class Function>
std::pair<Real, Real> bracketed_root(const Function& f, const Real& low, const Real& high) {
  return bracketed_root<Real>(f, low, high, Real(f(low)), Real(f(high)));
}

}  // namespace rarefact
