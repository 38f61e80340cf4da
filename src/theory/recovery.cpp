#include "theory/recovery.hpp"

#include <boost/math/constants/constants.hpp>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <cmath>

#include "theory/require_legal.hpp"

namespace rarefact {

namespace {

constexpr double pi = boost::math::constants::pi<double>();

/// The integral of f from `from` to ∞.
template <class Function>
double integral_from(double from, const Function& f) {
  boost::math::quadrature::exp_sinh<double> integrator;
  return integrator.integrate(f, from, INFINITY, 1e-13);
}

}  // namespace

double spike_recovery(double theta, double gamma) {
  require_legal(theta >= 0, "θ must not be negative");
  require_legal(gamma > 0 && gamma <= 1, "γ must lie in (0, 1]");
  if (std::isinf(theta)) return 1;
  const auto integrand = [=](double t) {
    const double linear = t * t + 1 - gamma;
    const double r = 2 / (linear + std::hypot(linear, 2 * std::sqrt(gamma) * t));
    const double g_square = gamma * (t * r) * (t * r) + (1 - gamma) * r;
    return theta * g_square / (1 + theta * theta * g_square);
  };
  return 2 / pi * integral_from(0, integrand);
}

double flat_recovery(double s) {
  require_legal(s >= 0, "s must not be negative");
  if (s >= 1) return 1 - 1 / (4 * s * s);
  const auto integrand = [=](double h) {
    const double sum = h * h + s * s;
    return 1 / sum - (s * s - h * h) / (sum * sum * sum);
  };
  return 2 * s / pi * integral_from(std::sqrt(1 - s * s), integrand);
}

}  // namespace rarefact
