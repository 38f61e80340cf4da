#include "rarefact/theory/column_flow.hpp"

#include <algorithm>
#include <boost/math/special_functions/lambert_w.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <cstdint>
#include <utility>

#include "rarefact/model/margin.hpp"

namespace rarefact {

namespace {

/// W₀(e^z): the solution of w + ln w = z.
double lambert_of_exp(double z) {
  constexpr double largest = 700;  // e^z would overflow a little further on
  if (z < largest) return boost::math::lambert_w0(std::exp(z));
  double w = z - std::log(z);
  // Newton doubles the digits, and the start is within ln(z)/z of the root: four rounds are more than enough.
  for (int round = 0; round < 4; ++round) w *= (1 + z - std::log(w)) / (1 + w);
  return w;
}

double noiseless_margin(double probability, double total, double time) {
  const double c = margin_speed(probability, total) * time + 1 / (total - 1);
  const double w = lambert_of_exp(c - std::log(total - 1));
  // w = e^m/(K-1): the second form keeps the digits of m when c - w is a small difference of large numbers.
  return w < 1 ? c - w : std::log(total - 1) + std::log(w);
}

/// Φ and dΦ/dv at v = ln δ, for Φ = (1-π₁) δ + ln(1 - e^{-δ}), which falls linearly in time along the flow.
/// The approach to the fixed point is Φ -> -∞ with Φ ≈ v: nearly a straight line, however late.
std::pair<double, double> potential(double v, double wrong) {
  const double distance = std::exp(v);
  const double risen = -std::expm1(-distance);
  const double logarithm = distance < 1 ? v + std::log(risen / distance) : std::log1p(-std::exp(-distance));
  return {wrong * distance + logarithm, distance * (wrong + std::exp(-distance) / risen)};
}

double noisy_margin(double probability, double total, double noise, double time) {
  const double right = right_answer_probability(total, noise), wrong = wrong_answer_probability(total, noise);
  const double optimum = optimal_margin(total, noise);
  const double start = std::log(optimum);
  const double target =
      potential(start, wrong).first - margin_speed(probability, total) * right * wrong * time;
  if (target < -100) return optimum;  // ln δ < -99: m* - δ rounds to m*
  // Φ grows with v. The flow started at the upper end; below, either δ >= 1 or v >= Φ - (1-π₁) δ > Φ - 1.
  const double low = std::min({target - 1, 0.0, start});
  const auto shortage = [&](double v) {
    const auto [value, slope] = potential(v, wrong);
    return std::make_pair(value - target, slope);
  };
  // The margin climbs as if the optimum were infinitely far, until it is near and Φ ≈ v.
  const double far = optimum - std::min(margin_speed(probability, total) * right * time,
                                        noiseless_margin(probability, total, time));
  const double guess = std::clamp(far > 1 ? std::log(far) : target, low, start);
  constexpr int digits = 30;  // of the last Newton step; its square is below the rounding of doubles
  std::uintmax_t rounds = 200;
  const double v = boost::math::tools::newton_raphson_iterate(shortage, guess, low, start, digits, rounds);
  return optimum - std::exp(v);
}

}  // namespace

double flow_margin(double class_probability, double class_total, double label_noise, double time) {
  if (time == 0) return 0;
  return label_noise == 0 ? noiseless_margin(class_probability, class_total, time)
                          : noisy_margin(class_probability, class_total, label_noise, time);
}

}  // namespace rarefact
