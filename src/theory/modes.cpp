#include "theory/modes.hpp"

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <limits>

namespace rarefact {

SquareModes modes_of(const PredictionInput& input) {
  const LeastSquares& data = *input.squares;
  const double mu = data.query_scale, variance = data.query_noise * data.query_noise;
  SquareModes modes;
  for (std::size_t g = 0; g < input.class_probability.size(); ++g) {
    const double p = input.class_probability[g];
    modes.curvature.push_back(mu * mu * p + variance);
    modes.coefficient.push_back(data.gaussian() ? std::pow(static_cast<double>(g + 1), -data.exponent)
                                                : mu * p / modes.curvature.back());
  }
  return modes;
}

std::vector<double> times_of_normalised_flow(const SquareModes& modes, const std::vector<double>& count,
                                             const std::vector<double>& times) {
  const auto norm = [&](double tau) {
    double sum = 0;
    for (std::size_t g = 0; g < count.size(); ++g) {
      const double r = modes.curvature[g] * modes.coefficient[g] * std::exp(-modes.curvature[g] * tau);
      sum += count[g] * r * r;
    }
    return std::sqrt(sum);
  };
  using Rule = boost::math::quadrature::gauss<double, 20>;
  // Panels in which no mode decays by much more than a factor e, the longest possible once all modes have
  // decayed.
  double fastest = 0, slowest = std::numeric_limits<double>::infinity();
  for (const double h : modes.curvature) fastest = std::max(fastest, h), slowest = std::min(slowest, h);
  std::vector<double> found;
  double tau = 0, passed = 0, width = 1 / fastest;
  for (const double time : times) {
    while (passed < time && tau * slowest < 750) {
      const double panel = Rule::integrate(norm, tau, tau + width);
      if (passed + panel > time) break;
      passed += panel;
      tau += width;
      width *= 1.25;
    }
    if (time == 0 || tau * slowest >= 750) {
      found.push_back(time == 0 ? 0 : std::numeric_limits<double>::infinity());
      continue;
    }
    // Within the panel: Newton's method, from the left, for the integral of a decreasing function.
    double at = tau, left = time - passed;
    for (int i = 0; i < 100 && std::abs(left) > 1e-15 * time; ++i) {
      at = std::min(at + left / norm(at), tau + width);
      left = time - passed - Rule::integrate(norm, tau, at);
    }
    found.push_back(at);
  }
  return found;
}

double smoothed_residual(double curvature, double start, double smoothing, double time) {
  // With x = ln g: √(g²+λ²) - λ asinh(λ/g) decreases by h t.
  const auto level = [smoothing](double x) {
    const double g = std::exp(x);
    return std::hypot(g, smoothing) - (smoothing > 0 ? smoothing * std::asinh(smoothing / g) : 0);
  };
  const double wanted = level(std::log(start)) - curvature * time;
  if (smoothing == 0) return std::max(wanted, 0.0);
  // dlevel/dx = √(g²+λ²) >= λ bounds the root from below.
  const double high = std::log(start), low = high - curvature * time / smoothing - 1;
  if (time == 0) return start;
  if (low < -700 && level(-700) > wanted) return 0;
  std::uintmax_t iterations = 200;
  const auto [a, b] =
      boost::math::tools::toms748_solve([&](double x) { return level(x) - wanted; }, std::max(low, -700.0),
                                        high, boost::math::tools::eps_tolerance<double>(52), iterations);
  return std::exp((a + b) / 2);
}

}  // namespace rarefact
