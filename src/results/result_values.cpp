#include "results/result_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>

namespace rarefact {

namespace {

/// 1, with room for the rounding of a mean over many classes.
constexpr double most_probability = 1 + 1e-9;

bool is_probability_of_class(double p) {
  return p > 0 && p <= most_probability;
}

bool leaves_unit_interval(double error) {
  return error < 0 || error > most_probability;
}  // false for NaN

}  // namespace

std::vector<std::string> implausible_values(const Result& result) {
  std::vector<std::string> findings;
  const auto& steps = result.steps;
  if (steps.front() < 0 ||
      std::adjacent_find(steps.begin(), steps.end(), std::greater_equal<>()) != steps.end()) {
    findings.emplace_back("'step' does not ascend from 0 or more");
  }
  const std::set<std::string> labels(result.optimizers.begin(), result.optimizers.end());
  if (labels.size() != result.optimizers.size() || labels.contains("")) {
    findings.emplace_back("'optimizer' has a label twice or an empty one");
  }
  for (const Run& run : result.runs) {
    if (!std::all_of(run.class_probability.begin(), run.class_probability.end(), is_probability_of_class)) {
      findings.push_back(fmt::format("'class_probability' leaves (0, 1] in run {}", run.index));
    }
    for (const Trajectory& trajectory : run.trajectories) {
      const auto errors = trajectory.series.find("error");
      if (errors != trajectory.series.end() &&
          std::any_of(errors->second.begin(), errors->second.end(), leaves_unit_interval)) {
        findings.push_back(
            fmt::format("'error' leaves [0, 1] in run {}, optimizer {}", run.index, trajectory.optimizer));
      }
    }
  }
  return findings;
}

}  // namespace rarefact
