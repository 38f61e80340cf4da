#pragma once

/// A noisy power law under gradient descent (li2026, Theorem 5.7): its integral form, and the steps where its
/// exponent shows.

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/margin.hpp"
#include "theory/group_decay.hpp"
#include "theory/scaling_laws.hpp"
#include "verify/evidence.hpp"

namespace rarefact::checks {

/// How far a local slope may be from -q inside the window where exponents are fitted.
inline constexpr double slope_tolerance = 0.01;

/// Groups that have reached the optimum where the fit begins. A class climbs at full speed until u* = m*/π₁,
/// so the summand has a kink at i = N, N = (p_1 t/u*)^{1/s}: by Euler and Maclaurin the sum is off the
/// integral by up to s² q (1+q)/(12 N²) of it.
inline constexpr double least_done = 3;

/// Power law, noise and step size of a point as the theorem sees them.
struct Law {
  double s, q, groups, total, noise, first_mass, per_step;  // per_step = η p_1

  explicit Law(const EvidencePoint& point)
      : s(point.experiment.spectrum.parameters.number("exponent")),
        q(1 - 1 / s),
        groups(point.experiment.spectrum.parameters.number(
            point.experiment.spectrum.kind == "power_law" ? "count" : "groups")),
        total(point.class_total()),
        noise(point.experiment.label_noise),
        first_mass(point.run().class_count.front() * point.run().class_probability.front()),
        per_step(point.optimizer("gd").step_size * point.run().class_probability.front()) {}

  double time(double step) const { return per_step * step; }
  double excess(double step) const {
    return group_excess_integral(s, groups, first_mass, time(step), total, noise);
  }
  /// The published form, with a single exponential of rate c for the decay of a class.
  double published_form(double step) const {
    const double c = equivalent_rate(q, total, noise);
    return first_mass * flow_excess(total, noise, 0) * group_sum_integral<double>(s, groups, c * time(step));
  }
  /// Steps between which the local slope is within slope_tolerance of -q, and least_done groups are done.
  TimeWindow<double> window() const {
    const double rate = equivalent_rate(q, total, noise);
    const TimeWindow<double> a = group_sum_window<double>(s, groups, slope_tolerance);
    const double climb = optimal_margin(total, noise) / right_answer_probability(total, noise);
    return {std::max(a.low / rate, climb * std::pow(least_done, s)) / per_step, a.high / rate / per_step};
  }
  /// Of the integral form inside the window: the sum's steps in i, and the recursion's in t for groups with η
  /// p ~ 1/T.
  double integral_tolerance(double first_step) const {
    return s * s * q * (1 + q) / (12 * least_done * least_done) + 2 / time(first_step);
  }
};

/// The recorded steps inside the window, and the excess loss there.
struct Range {
  std::vector<double> step, excess, exact;
  bool wide() const { return step.size() >= 8 && step.back() >= 5 * step.front(); }
};

inline Range range_of(const EvidencePoint& point, const Law& law) {
  Range range;
  const TimeWindow<double> window = law.window();
  const std::vector<double> excess = point.series("gd", "excess_loss");
  for (std::size_t i = 0; i < excess.size(); ++i) {
    const auto step = static_cast<double>(point.result.steps[i]);
    if (step < window.low || step > window.high) continue;
    range.step.push_back(step);
    range.excess.push_back(excess[i]);
    range.exact.push_back(law.excess(step));
  }
  return range;
}

}  // namespace rarefact::checks
