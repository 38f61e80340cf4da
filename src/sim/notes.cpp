#include <fmt/format.h>

#include <algorithm>

#include "core/status.hpp"
#include "core/text.hpp"
#include "experiment/step_sizes.hpp"
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
  return fmt::format("best of {} in [{}, {}], {}", search.count, end(search.low), end(search.high),
                     search.minimise);
}

std::string edge_note(const Trajectory& trajectory) {
  if (trajectory.step_size_edge == 0) return {};
  return fmt::format("the best step size, {}, is the {} tried; a better one may lie beyond",
                     trajectory.step_size, trajectory.step_size_edge > 0 ? "largest" : "least");
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

/// The first step at which the rule finds fewer directions than before, if digits do not judge it.
std::string rank_note(const Unit& unit, const Trajectory& trajectory) {
  const Experiment& experiment = unit.problem->experiment;
  if (trajectory.series.contains("digits") || experiment.sampled() || experiment.removes_recovered())
    return {};
  const auto fall = std::ranges::adjacent_find(
      trajectory.ranks, [](const RankFrom& a, const RankFrom& b) { return b.rank < a.rank; });
  if (fall == trajectory.ranks.end()) return {};
  const RankFrom& next = *std::next(fall);
  return fmt::format(
      "at step {} the rule finds {:g} directions in the gradient, {:g} before; if rounding has hidden some, "
      "later numbers are wrong, which run.digits = \"on\" shows",
      next.step, next.rank, fall->rank);
}

}  // namespace

void add_notes(Attempted& kept) {
  Trajectory& trajectory = kept.trajectory;
  trajectory.step_size_source = step_size_source(*kept.unit.choice);
  if (trajectory.status != Status::complete) return;
  std::string& detail = trajectory.status_detail;
  for (const std::string& note : {edge_note(trajectory), parting_note(kept.unit, trajectory),
                                  epsilon_note(kept.unit), rank_note(kept.unit, trajectory)})
    if (!note.empty()) detail += (detail.empty() ? "" : "; ") + note;
}

}  // namespace rarefact
