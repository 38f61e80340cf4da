#include <algorithm>
#include <boost/math/quadrature/tanh_sinh.hpp>
#include <cmath>
#include <limits>

#include "model/margin.hpp"
#include "theory/margin_paths.hpp"
#include "theory/require_legal.hpp"
#include "verify/li2026/scaling_laws.hpp"

namespace rarefact::checks::li2026 {

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
  const double optimum = optimal_margin(class_total, label_noise);
  if (std::isinf(scaled_time)) return 0;
  return std::max(0.0, optimum - flow_margin(1, class_total, label_noise, scaled_time));
}

}  // namespace

double flow_excess(double class_total, double label_noise, double scaled_time) {
  require_legal(scaled_time >= 0, "the time must not be negative");
  return excess_at_distance<double>(distance_at(scaled_time, class_total, label_noise), class_total,
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
    return std::pow(scaled_time, q) * excess_at_distance<double>(distance, class_total, label_noise);
  };
  boost::math::quadrature::tanh_sinh<double> integrator;
  // From the ramp, where the class climbs at full speed, to the exponential approach everything changes at δ
  // ~ 1.
  const double middle = std::clamp(1.0, near, far);
  // From the lower end on, so that no abscissa rounds onto it.
  const auto over = [&](double low, double high) {
    const auto from_low = [&](double x) { return integrand(low + x); };
    return low < high ? integrator.integrate(from_low, 0.0, high - low) : 0.0;
  };
  const double integral = over(near, middle) + over(middle, far);
  return (end(to, near) - end(from, far) + integral) / q;
}

double excess_moment_of_many_classes(double q, double class_total, double label_noise) {
  require_legal(q > 0 && q < 1, "the exponent q must lie in (0, 1)");
  const double right = right_answer_probability(class_total, label_noise);
  const double optimum = optimal_margin(class_total, label_noise);
  return std::pow(right, 1 - q) * std::pow(optimum, 1 + q) / (q * (1 + q));
}

double group_excess_integral(double exponent, double groups, double first_mass, double scaled_time,
                             double class_total, double label_noise) {
  require_legal(exponent > 1, "the exponent of the power law must exceed 1");
  require_legal(groups >= 2, "the law needs at least 2 groups");
  require_legal(scaled_time > 0, "the time must be positive");
  const double q = 1 - 1 / exponent;
  const double moment =
      excess_moment(q, scaled_time * std::pow(groups, -exponent), scaled_time, class_total, label_noise);
  return first_mass / exponent * std::pow(scaled_time, -q) * moment;
}

double equivalent_rate(double q, double class_total, double label_noise) {
  const double moment =
      excess_moment(q, 0, std::numeric_limits<double>::infinity(), class_total, label_noise);
  return std::pow(flow_excess(class_total, label_noise, 0) * std::tgamma(q) / moment, 1 / q);
}

}  // namespace rarefact::checks::li2026
