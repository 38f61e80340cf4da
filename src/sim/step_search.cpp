#include "sim/step_search.hpp"

#include <cmath>
#include <limits>

#include "core/spacing.hpp"

namespace rarefact {

namespace {

double value_of(const Trajectory& trajectory, const std::string& minimise) {
  constexpr double worst = std::numeric_limits<double>::infinity();
  if (trajectory.status == "diverged" || trajectory.status == "failed") return worst;
  const double value = minimise == "error" ? trajectory.total_error : trajectory.series.at(minimise).back();
  return std::isfinite(value) ? value : worst;
}

}  // namespace

std::vector<double> searched_step_sizes(const StepSearch& search) {
  return log_spaced(search.low, search.high, static_cast<double>(search.count));
}

double run_count(const OptimizerChoice& choice) {
  return choice.search ? static_cast<double>(choice.search->count) : 1;
}

std::vector<Attempt> attempts_of(const Experiment& experiment) {
  std::vector<Attempt> attempts;
  for (std::size_t o = 0; o < experiment.optimizers.size(); ++o) {
    const OptimizerChoice& choice = experiment.optimizers[o];
    if (!choice.search) {
      attempts.push_back({o, choice.step_size});
      continue;
    }
    for (const double step_size : searched_step_sizes(*choice.search)) attempts.push_back({o, step_size});
    attempts[attempts.size() - static_cast<std::size_t>(choice.search->count)].edge = -1;
    attempts.back().edge = 1;
  }
  return attempts;
}

StepContest::StepContest(const Experiment& experiment) : attempts_(attempts_of(experiment)) {
  for (const OptimizerChoice& choice : experiment.optimizers)
    best_.push_back({choice.search ? choice.search->minimise : "loss"});
}

void StepContest::show(std::size_t index, std::vector<Trajectory>& trajectories) {
  const Attempt& attempt = attempts_[index];
  Best& best = best_[attempt.optimizer];
  trajectories[index].step_size = attempt.step_size;
  const double value = value_of(trajectories[index], best.minimise);
  trajectories[index].step_size_edge = std::isfinite(value) ? attempt.edge : 0;
  const std::lock_guard lock(mutex_);
  const bool first = best.index >= attempts_.size();
  // The runs of an optimizer are in the order of their step sizes.
  const bool better = first || value < best.value || (value == best.value && index < best.index);
  if (!first) trajectories[better ? best.index : index] = {};
  if (!better) return;
  best.index = index;
  best.value = value;
}

std::vector<std::size_t> StepContest::best() const {
  std::vector<std::size_t> indices;
  for (const Best& one : best_) indices.push_back(one.index);
  return indices;
}

}  // namespace rarefact
