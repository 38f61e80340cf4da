#include "theory/modes.hpp"

#include <boost/math/quadrature/gauss.hpp>

#include "core/bracketed_root.hpp"
#include "model/log_odds.hpp"

namespace rarefact {

SquareModes modes_of(const PredictionInput& input) {
  const LeastSquares& data = *input.squares;
  const double mu = data.query_scale, variance = data.query_noise * data.query_noise;
  SquareModes modes;
  for (std::size_t g = 0; g < input.class_probability.size(); ++g) {
    const double p = input.training(g);
    modes.curvature.push_back(mu * mu * p + variance);
    modes.weight.push_back(mu * mu * input.class_probability[g] + variance);
    modes.coefficient.push_back(data.gaussian() ? data.length_of(static_cast<double>(g + 1))
                                                : mu * p / modes.curvature.back());
    modes.apart.push_back(
        data.gaussian() ? 0 : variance / mu * (1 / modes.curvature.back() - 1 / modes.weight.back()));
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
  // Panels in which no mode decays by much more than a factor e, the longest possible once all have decayed.
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

PredictedMargin<double> smoothed_residual(double curvature, double start, double smoothing, double time) {
  const double way = curvature * time;
  if (time == 0) return {0, start};
  if (smoothing == 0) return {std::min(way, start), std::max(start - way, 0.0)};
  // With u = g(0) - g and s = √(g(0)²+λ²) - √(g²+λ²) = u (g(0) + g)/(sum of the roots), h t = s + λ asinh(λ s/(g(0) g)):
  // nothing is subtracted. Both u and g have all their digits as g(0) times logistic functions of y.
  const double root = std::hypot(start, smoothing);
  const auto at = [&](double y) {
    return PredictedMargin<double>{start * logistic(y), start * logistic(-y)};
  };
  const auto reached = [&](const PredictedMargin<double>& x) {
    const double s = x.value * (start + x.left) / (root + std::hypot(x.left, smoothing));
    return s + smoothing * std::asinh(smoothing / start * (s / x.left));
  };
  constexpr double far = 600;  // infinities have no root between them
  if (reached(at(far)) < way) return {start, 0};
  if (reached(at(-far)) > way) return {way * start / root, start};
  const auto [a, b] = bracketed_root([&](double y) { return std::log(reached(at(y)) / way); }, -far, far);
  PredictedMargin<double> x = at((a + b) / 2);
  // y itself is rounded: a step of Newton's method, dg/d(ht) = -g/√(g²+λ²).
  const double step = (way - reached(x)) / std::hypot(x.left, smoothing);
  if (x.value < x.left) return {x.value + step * x.left, start - x.value - step * x.left};
  const double left = x.left * std::exp(-step);
  return {start - left, left};
}

}  // namespace rarefact
