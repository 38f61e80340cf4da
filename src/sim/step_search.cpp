#include "sim/step_search.hpp"

#include <cmath>
#include <limits>

#include "core/spacing.hpp"

namespace rarefact {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double value_of(const Trajectory& trajectory, const std::string& minimise) {
  if (trajectory.status == "diverged" || trajectory.status == "failed") return infinite;
  const double value = minimise == "error" ? trajectory.total_error : trajectory.series.at(minimise).back();
  return std::isfinite(value) ? value : infinite;
}

}  // namespace

std::vector<double> searched_step_sizes(const StepSearch& search) {
  return log_spaced(search.low, search.high, static_cast<double>(search.count));
}

double run_count(const OptimizerChoice& choice) {
  return choice.search ? static_cast<double>(choice.search->count) : 1;
}

Experiment with_all_step_sizes(const Experiment& experiment) {
  Experiment all = experiment;
  all.optimizers.clear();
  for (OptimizerChoice choice : experiment.optimizers) {
    if (!choice.search) {
      all.optimizers.push_back(choice);
      continue;
    }
    const StepSearch search = *choice.search;
    choice.search.reset();
    for (const double step_size : searched_step_sizes(search)) {
      choice.step_size = step_size;
      all.optimizers.push_back(choice);
    }
  }
  return all;
}

StepContest::StepContest(const Experiment& experiment) {
  for (const OptimizerChoice& choice : experiment.optimizers) {
    const std::size_t optimizer = best_.size();
    best_.push_back(none);
    values_.push_back(infinite);
    if (!choice.search) {
      entries_.push_back({optimizer, choice.step_size, 0, "loss"});
      continue;
    }
    const std::vector<double> sizes = searched_step_sizes(*choice.search);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const int edge = i == 0 ? -1 : i + 1 == sizes.size() ? 1 : 0;
      entries_.push_back({optimizer, sizes[i], edge, choice.search->minimise});
    }
  }
}

void StepContest::show(std::size_t index, std::vector<Trajectory>& trajectories) {
  const Entry& entry = entries_[index];
  trajectories[index].step_size = entry.step_size;
  const double value = value_of(trajectories[index], entry.minimise);
  trajectories[index].step_size_edge = std::isfinite(value) ? entry.edge : 0;
  const std::lock_guard lock(mutex_);
  std::size_t& best = best_[entry.optimizer];
  double& least = values_[entry.optimizer];
  // The runs of an optimizer are in the order of their step sizes.
  const bool better = best == none || value < least || (value == least && index < best);
  if (best != none) trajectories[better ? best : index] = {};
  if (!better) return;
  best = index;
  least = value;
}

}  // namespace rarefact
