#pragma once

// Results made by hand: two runs of different widths, one diverged optimizer, and a wide one whose arrays are
// chunked.

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "rarefact/result.hpp"

namespace rarefact {

inline std::vector<Variable> sample_variables() {
  return {
      {.name = "loss", .long_name = "total loss", .units = "nat"},
      {.name = "excess_loss", .long_name = "loss above the irreducible loss", .units = "nat"},
      {.name = "gap", .long_name = "largest minus smallest right probability", .units = "1"},
      {.name = "error",
       .long_name = "1 - probability of the right answer",
       .units = "1",
       .along = Along::class_groups},
      {.name = "class_loss", .long_name = "loss of the class", .units = "nat", .along = Along::class_groups},
      {.name = "error_predicted",
       .long_name = "predicted error",
       .units = "1",
       .along = Along::class_groups,
       .source = "muon: li2026, Theorem 4.2",
       .validity = "orthonormal embeddings, α = 0"},
  };
}

/// A trajectory whose value in series v, record s, group g is a known number.
inline Trajectory sample_trajectory(const std::string& label, std::size_t steps, std::size_t groups) {
  Trajectory trajectory;
  trajectory.optimizer = label;
  trajectory.engine = "symmetric";
  trajectory.engine_reason = "every rule of the sample keeps the symmetry";
  trajectory.status = "complete";
  trajectory.status_step = static_cast<std::int64_t>(steps) - 1;
  trajectory.quadrature_error = 0;
  std::size_t v = 0;
  for (const Variable& variable : sample_variables()) {
    ++v;
    for (std::size_t s = 0; s < steps; ++s) {
      for (std::size_t g = 0; g < (variable.along == Along::class_groups ? groups : 1); ++g) {
        const double decay = std::exp(-static_cast<double>(s)) / static_cast<double>(v + g);
        trajectory.series[variable.name].push_back(decay);
      }
    }
  }
  return trajectory;
}

inline Result sample_result() {
  Result result;
  result.title = "sample";
  result.rules = "muon: answers: turn with rotations\n";
  result.experiment = "name = \"sample\"\n";
  result.steps = {0, 1, 2, 5};
  result.optimizers = {"muon", "gd η=1"};
  result.variables = sample_variables();
  for (std::size_t r = 0; r < 2; ++r) {
    const std::size_t groups = 3 - r;
    Run run;
    run.index = static_cast<std::int64_t>(r);
    run.parameters = {{"classes.exponent", 1.5 + static_cast<double>(r)}};
    run.class_count = std::vector<double>(groups, 1e12);
    for (std::size_t g = 0; g < groups; ++g)
      run.class_probability.push_back(1e-13 / static_cast<double>(g + 1));
    for (std::size_t g = 0; g < groups; ++g) run.class_log_rank.push_back(static_cast<double>(g) + 0.5);
    for (const std::string& label : result.optimizers) {
      run.trajectories.push_back(sample_trajectory(label, result.steps.size(), groups));
    }
    result.runs.push_back(run);
  }
  // The last one diverges after step 1.
  Trajectory& diverged = result.runs[1].trajectories[1];
  diverged.status = "diverged";
  diverged.status_step = 1;
  diverged.status_detail = "norm of the weight 1e300";
  for (auto& [name, values] : diverged.series) {
    for (std::size_t i = values.size() / 2; i < values.size(); ++i) {
      values[i] = std::numeric_limits<double>::quiet_NaN();
    }
  }
  return result;
}

/// One run of `groups` class groups and `steps` + 1 steps, large enough for chunks.
inline Result wide_result(std::size_t groups, std::size_t steps) {
  Result result = sample_result();
  result.runs.resize(1);
  result.steps.clear();
  for (std::size_t s = 0; s <= steps; ++s) result.steps.push_back(static_cast<std::int64_t>(s));
  Run& run = result.runs[0];
  run.class_count.assign(groups, 1.0);
  run.class_probability.assign(groups, 1.0 / static_cast<double>(groups));
  run.class_log_rank.assign(groups, 0.0);
  run.trajectories.clear();
  for (const std::string& label : result.optimizers) {
    run.trajectories.push_back(sample_trajectory(label, steps + 1, groups));
  }
  return result;
}

/// NaN equals NaN here: it stands for "no value".
inline bool same_values(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i] && !(std::isnan(a[i]) && std::isnan(b[i]))) return false;
  }
  return true;
}

}  // namespace rarefact
