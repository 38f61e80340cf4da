#pragma once

// What the checks of wang2025 share: the classes of a point, and ϱ of a direction in closed form.

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "theory/one_step.hpp"
#include "verify/evidence.hpp"
#include "verify/hypotheses.hpp"

namespace rarefact::checks {

inline constexpr const char* count_key = "classes.count";
inline constexpr const char* epsilon_key = "run.rho_epsilon";

/// A hypothesis tested on all experiments of a check: met where each meets it.
inline Hypothesis on_all(const Evidence& evidence, Hypothesis (*test)(const EvidencePoints&)) {
  Hypothesis merged = test(evidence.experiments.front());
  for (std::size_t e = 1; e < evidence.experiments.size(); ++e) {
    const Hypothesis one = test(evidence[e]);
    if (merged.detail.find(one.detail) == std::string::npos) merged.detail += "; " + one.detail;
    merged.met = merged.met && one.met;
  }
  return merged;
}

inline ClassGroups groups_of(const EvidencePoint& point) {
  return {point.run().class_count, point.run().class_probability};
}

/// r = min p / max p.
inline double probability_ratio(const EvidencePoint& point) {
  const auto [least, most] =
      std::minmax_element(point.run().class_probability.begin(), point.run().class_probability.end());
  return *least / *most;
}

/// Numbers over an abscissa, ascending whatever the order of the points.
using Points = std::map<double, double>;

inline std::vector<double> keys(const Points& points) {
  std::vector<double> all;
  for (const auto& [x, y] : points) all.push_back(x);
  return all;
}
inline std::vector<double> values(const Points& points) {
  std::vector<double> all;
  for (const auto& [x, y] : points) all.push_back(y);
  return all;
}
/// Those from x = `low` to x = `high`.
inline Points between(const Points& points, double low, double high) {
  return {points.lower_bound(low), points.upper_bound(high)};
}

/// ϱ at the threshold of a direction; not a number where no step size retrieves any class.
template <class Real>
Real rho_of_direction(const SymmetricMatrix<Real>& direction, double epsilon) {
  const auto rho = one_step_rho<Real>(logits_of_direction<Real>(direction), Real(epsilon));
  return rho ? rho->at_threshold.value : Real(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace rarefact::checks
