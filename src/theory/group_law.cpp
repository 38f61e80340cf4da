#include "theory/group_law.hpp"

#include <algorithm>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/bracketed_root.hpp"
#include "theory/margin_paths.hpp"
#include "theory/require_legal.hpp"

namespace rarefact {

namespace {

/// Time u = p t at which the flow is at the distance δ from the optimum.
class TimeOfDistance {
 public:
  TimeOfDistance(double class_total, double label_noise)
      : wrong_(wrong_answer_probability(class_total, label_noise)),
        rate_(margin_speed(1, class_total) * right_answer_probability(class_total, label_noise) * wrong_),
        start_(potential(optimal_margin(class_total, label_noise))) {}

  double operator()(double distance) const { return std::max(0.0, start_ - potential(distance)) / rate_; }

 private:
  double potential(double distance) const { return wrong_ * distance + std::log(-std::expm1(-distance)); }

  double wrong_, rate_, start_;
};

/// δ at u; 0 at infinity.
double distance_at(double scaled_time, double class_total, double label_noise) {
  return std::isinf(scaled_time) ? 0 : flow_margin(1, class_total, label_noise, scaled_time).left;
}

void require_law(double exponent, double groups) {
  require_legal(exponent > 1, "the exponent of the power law must exceed 1");
  require_legal(groups >= 2, "the law needs at least 2 groups");
}

/// Γ(q, x) - Γ(q, a) for x < a, by the smaller of upper or lower incomplete gamma functions: no cancellation.
double gamma_between(double q, double x, double a) {
  using boost::math::tgamma, boost::math::tgamma_lower;
  const double lower = tgamma_lower(q, a), upper = tgamma(q, x);
  return lower < upper ? lower - tgamma_lower(q, x) : upper - tgamma(q, a);
}

/// The rate c at which a single exponential F(0) e^{-c u} has the moment of F over all u.
double equivalent_rate(double q, double class_total, double label_noise) {
  const double moment =
      excess_moment(q, 0, std::numeric_limits<double>::infinity(), class_total, label_noise);
  return std::pow(flow_excess(class_total, label_noise, 0) * std::tgamma(q) / moment, 1 / q);
}

/// A class climbs at full speed until u* = m*/π₁, so with N = (p_1 t/u*)^{1/s} groups at the optimum the summand has a bend at
/// i = N, and the sum has a ripple of period 1 in N. By Euler and Maclaurin a sharp bend makes the local slope swing by
/// (s-1)(2s-1)/(π s N) (first harmonic); a bend as wide as that of a logistic function of u with the rate π₁ (both have their
/// poles π/π₁ off the real axis) has the factor y/sinh y, y = 2π² N/(s m*).
double ripple(double s, double done, double optimum) {
  const double y = 2 * std::numbers::pi * std::numbers::pi * done / (s * optimum);
  return (s - 1) * (2 * s - 1) / (std::numbers::pi * s * done) * y / std::sinh(y);
}

}  // namespace

double flow_excess(double class_total, double label_noise, double scaled_time) {
  require_legal(scaled_time >= 0, "the time must not be negative");
  return excess_loss_at_distance(distance_at(scaled_time, class_total, label_noise), class_total,
                                 label_noise);
}

double excess_moment(double q, double from, double to, double class_total, double label_noise) {
  require_legal(q > 0 && q < 1, "the exponent q must lie in (0, 1)");
  require_legal(from >= 0 && from < to, "the interval must be ascending");
  const TimeOfDistance time(class_total, label_noise);
  const double far = distance_at(from, class_total, label_noise),
               near = distance_at(to, class_total, label_noise);
  const auto integrand = [&](double distance) {
    const double shortfall = shortfall_at_distance(distance, class_total, label_noise);
    return shortfall > 0 ? std::pow(time(distance), q) * shortfall : 0;
  };
  const auto end = [&](double scaled_time, double distance) {
    if (scaled_time == 0 || std::isinf(scaled_time)) return 0.0;
    return std::pow(scaled_time, q) * excess_loss_at_distance(distance, class_total, label_noise);
  };
  boost::math::quadrature::tanh_sinh<double> integrator;
  // From the ramp, where the margin grows at full speed, to the exponential approach everything changes at δ ~ 1.
  const double middle = std::clamp(1.0, near, far);
  // Relative to the lower end, so that no abscissa rounds onto it.
  const auto over = [&](double low, double high) {
    const auto from_low = [&](double x) { return integrand(low + x); };
    return low < high ? integrator.integrate(from_low, 0.0, high - low) : 0.0;
  };
  const double integral = over(near, middle) + over(middle, far);
  return (end(to, near) - end(from, far) + integral) / q;
}

double group_excess_integral(double exponent, double groups, double first_mass, double scaled_time,
                             double class_total, double label_noise) {
  require_law(exponent, groups);
  require_legal(scaled_time > 0, "the time must be positive");
  const double q = 1 - 1 / exponent;
  const double moment =
      excess_moment(q, scaled_time * std::pow(groups, -exponent), scaled_time, class_total, label_noise);
  return first_mass / exponent * std::pow(scaled_time, -q) * moment;
}

double group_sum_slope(double exponent, double groups, double time) {
  require_law(exponent, groups);
  require_legal(time > 0, "the time must be positive");
  const double q = 1 - 1 / exponent, x = time * std::pow(groups, -exponent);
  const double ends = std::pow(time, q) * std::exp(-time) - std::pow(x, q) * std::exp(-x);
  return ends / gamma_between(q, x, time) - q;
}

GroupLawWindow group_law_window(double exponent, double groups, double class_total, double label_noise,
                                double tolerance) {
  require_law(exponent, groups);
  const double q = 1 - 1 / exponent, optimum = optimal_margin(class_total, label_noise);
  require_legal(tolerance > 0 && tolerance < q, "the tolerance must lie in (0, 1 - 1/s)");
  // Minus the slope is a mean of x over [a M^-s, a]: at most a, at least a M^-s.
  const double first = std::log(q - tolerance), last = std::log(q + tolerance) + exponent * std::log(groups);
  const double rate = equivalent_rate(q, class_total, label_noise);
  const auto time_of_slope = [&](double slope) {
    const auto excess = [&](double log_time) {
      return group_sum_slope(exponent, groups, std::exp(log_time)) - slope;
    };
    return std::exp(bracketed_root(excess, first, last).first) / rate;
  };
  double done = 1;
  while (ripple(exponent, done, optimum) > tolerance) done *= 1.01;
  const double climb = optimum / right_answer_probability(class_total, label_noise);
  return {std::max(time_of_slope(tolerance - q), climb * std::pow(done, exponent)),
          time_of_slope(-q - tolerance), done};
}

}  // namespace rarefact
