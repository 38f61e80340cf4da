#include <fmt/format.h>

#include <algorithm>

#include "core/status.hpp"
#include "core/text.hpp"
#include "experiment/step_sizes.hpp"
#include "sim/engines.hpp"
#include "sim/outcome.hpp"

namespace rarefact {

namespace {

/// "2/p_max", or "best of 9 in [0.01, 1], loss"; empty if the step size is a number in the file.
std::string step_size_source(const OptimizerChoice& choice) {
  if (!choice.search) return choice.step_size.expression;
  const StepSearch& search = *choice.search;
  const auto end = [](const StepSize& size) {
    return size.expression.empty() ? fmt::format("{:g}", size.number) : size.expression;
  };
  const bool threshold = criterion_of(search).threshold();
  return fmt::format("best of {} in [{}, {}], {}{}", search.count, end(search.low), end(search.high),
                     search.minimise, threshold ? fmt::format(" < {:g} ({})", search.below, search.of) : "");
}

std::string edge_note(const Unit& unit, const Trajectory& trajectory) {
  if (trajectory.step_size_edge == 0) return {};
  const bool largest = trajectory.step_size_edge > 0;
  const bool never = largest && loss_falls_with_step_size(unit.problem->experiment, *unit.choice);
  return fmt::format("the best step size, {}, is the {} tried; {}", trajectory.step_size,
                     largest ? "largest" : "least",
                     never ? "without label noise larger is always better: the loss tends to 0 as the step "
                             "size grows, so none is best"
                           : "a better one may lie beyond");
}

/// A note if a rule adds ε to sizes of gradients that is above the size (1-α) p_l of the rarest class row at
/// the start; only for exact gradients.
std::string epsilon_note(const Unit& unit) {
  const Experiment& experiment = unit.problem->experiment;
  const ParameterValues& parameters = unit.choice->parameters;
  if (experiment.sampled() || !parameters.has("epsilon")) return {};
  const double epsilon = parameters.number("epsilon");
  const double gradient = (1 - experiment.label_noise) * std::ranges::min(unit.problem->rows.probability);
  if (gradient >= epsilon) return {};
  return fmt::format(
      "the gradient of the rarest class, {:.2g} at the start, is below ε = {:g}, which makes its steps "
      "smaller; epsilon = 0 does not",
      gradient, epsilon);
}

/// The first step from which rounding separates identical classes in dense runs, unlike in symmetric ones.
std::string parting_note(const Unit& unit, const Trajectory& trajectory) {
  const auto found = trajectory.series.find("twin_gain");
  if (found == trajectory.series.end()) return {};
  constexpr double max_gain = 2;
  const auto first = std::ranges::find_if(found->second, [](double gain) { return gain > max_gain; });
  if (first == found->second.end()) return {};
  return fmt::format(
      "from step {} on (twin_gain > {:g}) rounding separates identical queries or answers in dense runs, "
      "which engine {} keeps equal: errors far below the largest differ from those of a dense run",
      unit.problem->steps[first - found->second.begin()], max_gain, trajectory.engine);
}

}  // namespace

bool loss_falls_with_step_size(const Experiment& experiment, const OptimizerChoice& choice) {
  const OptimizerRow& rule = optimizer_row(choice.rule);
  const Symmetries symmetries = rule.symmetries_of(choice.parameters);
  // Whether a user's formula decreases the loss is unknown.
  const bool raises_margins =
      rule.name != "formula" && (symmetries.keeps_wrong_ties || symmetries.scale_invariant);
  return experiment.loss->of_distributions && experiment.label_noise == 0 && experiment.own_answers() &&
         !experiment.sampled() && raises_margins && !rule.reads_curvature &&
         Sides(experiment, symmetries).drop_out();
}

void add_notes(Attempted& kept) {
  Trajectory& trajectory = kept.trajectory;
  trajectory.step_size_source = step_size_source(*kept.unit.choice);
  if (trajectory.status != Status::complete) return;
  std::string& detail = trajectory.status_detail;
  for (const std::string& note :
       {edge_note(kept.unit, trajectory), parting_note(kept.unit, trajectory), epsilon_note(kept.unit)})
    if (!note.empty()) detail += (detail.empty() ? "" : "; ") + note;
}

}  // namespace rarefact
