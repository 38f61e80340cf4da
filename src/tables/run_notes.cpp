#include "tables/run_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiment/step_sizes.hpp"
#include "sim/engines.hpp"

namespace rarefact {

std::string step_size_text(const OptimizerChoice& choice, const Trajectory& trajectory) {
  const std::string chosen = fmt::format("{}: step size {:.5g}", choice.name, trajectory.step_size);
  if (!choice.search)
    return choice.step_expression.empty() ? "" : fmt::format("{} = {}", chosen, choice.step_expression);
  const StepSearch& search = *choice.search;
  const auto end = [](const std::string& expression, double number) {
    return expression.empty() ? fmt::format("{:g}", number) : expression;
  };
  const bool threshold = row_named(search_criteria(), search.minimise, "criterion").threshold();
  return fmt::format("{}, best of {} in [{}, {}], {}{}", chosen, search.count,
                     end(search.low_expression, search.low), end(search.high_expression, search.high),
                     search.minimise, threshold ? fmt::format(" < {:g} ({})", search.below, search.of) : "");
}

bool loss_falls_with_step_size(const Experiment& experiment, const OptimizerChoice& choice) {
  const OptimizerRow& rule = optimizer_row(choice.rule);
  const Symmetries symmetries = rule.symmetries_of(choice.parameters);
  // For a user's formula it is not known whether the loss decreases.
  const bool raises_margins =
      rule.name != "formula" && (symmetries.keeps_wrong_ties || symmetries.scale_invariant);
  return experiment.loss->of_distributions && experiment.label_noise == 0 && experiment.own_answers() &&
         !experiment.sampled() && raises_margins && !rule.reads_curvature &&
         Sides(experiment, symmetries).drop_out();
}

std::string epsilon_text(const Experiment& experiment, const OptimizerChoice& choice, const Run& run) {
  if (experiment.sampled() || !choice.parameters.has("epsilon") || run.class_probability.empty()) return {};
  const double epsilon = choice.parameters.number("epsilon");
  const double gradient = (1 - experiment.label_noise) * std::ranges::min(run.class_probability);
  if (gradient >= epsilon) return {};
  return fmt::format(
      "the gradient of the rarest class, {:.2g} at the start, is below ε = {:g}, which holds its steps back; "
      "epsilon = 0 does not",
      gradient, epsilon);
}

std::string parting_text(const Trajectory& trajectory, const std::vector<std::int64_t>& steps) {
  const auto found = trajectory.series.find("twin_gain");
  if (found == trajectory.series.end()) return {};
  constexpr double most = 2;
  const auto first = std::ranges::find_if(found->second, [](double gain) { return gain > most; });
  if (first == found->second.end()) return {};
  return fmt::format(
      "from step {} on (twin_gain > {:g}) the least rounding parts twin queries or answers, which engine {} holds "
      "together: errors far below the largest are not those of a run over all entries",
      steps[first - found->second.begin()], most, trajectory.engine);
}

}  // namespace rarefact
