#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "core/spacing.hpp"
#include "core/status.hpp"
#include "core/text.hpp"
#include "sim/resolve.hpp"

namespace rarefact {

double run_count(const OptimizerChoice& choice) {
  return choice.search ? static_cast<double>(choice.search->count) : 1;
}

std::vector<Attempt> attempts_of(const Experiment& experiment, const Spectrum& spectrum) {
  std::vector<Attempt> attempts;
  std::vector<Problem> problems;
  for (const OptimizerChoice& choice : experiment.optimizers)
    std::ranges::move(problems_of_steps(choice, experiment, spectrum), std::back_inserter(problems));
  raise(std::move(problems));
  for (std::size_t o = 0; o < experiment.optimizers.size(); ++o) {
    const OptimizerChoice& choice = experiment.optimizers[o];
    const auto value = [&](const StepSize& size) {
      return step_size_value(size, choice, experiment, spectrum);
    };
    if (!choice.search) {
      attempts.push_back({o, value(choice.step_size)});
      continue;
    }
    const double low = value(choice.search->low), high = value(choice.search->high);
    if (!(low < high))
      throw InputError(
          {problem_about(step_size_key(choice.name),
                         fmt::format("optimizer '{}': its search goes from {:g} to {:g}; expected low < high",
                                     choice.name, low, high))});
    const std::size_t first = attempts.size();
    for (const double step_size : log_spaced(low, high, run_count(choice)))
      attempts.push_back({o, step_size});
    attempts[first].edge = -1;
    attempts.back().edge = 1;
  }
  return attempts;
}

double score_of(const Trajectory& trajectory, const OptimizerChoice& choice) {
  constexpr double worst = std::numeric_limits<double>::infinity();
  if (trajectory.status == Status::diverged || trajectory.status == Status::failed) return worst;
  const std::string& variable = criterion_of(choice.search.value_or(StepSearch{})).variable;
  const std::vector<double>* found = trajectory.find(variable);
  const double score = variable == "total_error" ? trajectory.total_error : found ? found->back() : worst;
  return std::isfinite(score) ? score : worst;
}

}  // namespace rarefact
