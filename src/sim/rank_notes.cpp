// Notes on ranks: of gradients, of updates and of W.

#include <cmath>
#include <ranges>

#include "core/status.hpp"
#include "optim/formula/calculus.hpp"
#include "sim/comparison.hpp"
#include "sim/notes.hpp"

namespace rarefact {

namespace {

/// True if a function in the formula of D may set singular values to 0.
bool chooses_values(const OptimizerChoice& choice) {
  const auto definitions = optimizer_row(choice.rule).definitions;
  if (!definitions) return false;
  std::vector<ParameterProblem> problems;
  return std::ranges::any_of(formula::graph_of(definitions(choice.parameters), problems).nodes,
                             [](const formula::Node& node) { return node.op == formula::op::spectral; });
}

/// The size, relative to the largest, of singular values that polynomials in the formula of D make of rounding: each step
/// of a polynomial multiplies small ones by its first coefficient.
double polynomial_rounding(const OptimizerChoice& choice, bool of_update) {
  const auto definitions = optimizer_row(choice.rule).definitions;
  if (!definitions) return 0;
  std::vector<ParameterProblem> problems;
  const formula::Graph graph = formula::graph_of(definitions(choice.parameters), problems);
  const std::vector<bool> needed = formula::needed_nodes(graph, false);
  std::vector<double> growths;  // of what each node reads and does
  double most = 1;
  for (const formula::Node& node : graph.nodes) {
    double growth = 1;
    if (!node.op->leaf)
      for (const int a : node.arguments) growth = std::max(growth, growths[static_cast<std::size_t>(a)]);
    // The rank of an update that is a polynomial itself is that of its argument.
    const auto place = growths.size();
    const bool itself = of_update && static_cast<int>(place) == graph.direction && growth == 1;
    if (node.op == formula::op::polynomial && !itself)
      for (const Quintic& step : node.polynomial.steps) growth *= std::abs(step[0]);
    growths.push_back(growth);
    if (needed[place]) most = std::max(most, growth);
  }
  return most > 1 ? most * std::numeric_limits<double>::epsilon() : 0;
}

/// True if decay removes the start of W exactly: (1 - ηλ) W = 0 at some update.
bool forgets_start(const Unit& unit) {
  const StepSchedule schedule = unit.schedule();
  const auto removes = [&](std::int64_t t) { return schedule.at(t).size * schedule.decay == 1; };
  if (schedule.coupled || schedule.decay == 0) return false;
  if (schedule.constant()) return removes(0);
  return std::ranges::any_of(std::views::iota(std::int64_t{0}, unit.problem->experiment.steps), removes);
}

/// The first step at which rounding decides recorded singular values, of updates or of W (`of` is "update_" or "weight_"):
/// those of polynomials; one far below the others appears; one goes that embeddings mix with larger ones, or, of W, that is
/// left of its start, though the exact gradient trains; or W, or a part of it, has shrunk to the rounding of its past.
std::optional<std::int64_t> rounded_rank(const Unit& unit, const Trajectory& trajectory,
                                         const std::string& of) {
  const auto *rank = trajectory.find(of + "rank"), *least = trajectory.find(of + "condition_ratio"),
             *size = trajectory.find(of + "spectral_norm");
  if (!rank || !least || !size) return {};
  const Experiment& experiment = unit.problem->experiment;
  const bool of_weight = of == "weight_", exact = !experiment.sampled(),
             growing = exact && !experiment.removes_recovered(), started = !experiment.starts_at_zero();
  // Elsewhere columns keep digits of their own, and small singular values are right, unless queries that share answers have
  // parallel columns.
  const bool mixed = unit.reduction.way == Way::dense && !unit.reduction.task_basis &&
                     !Sides(unit.query()).identity(),
             mixing = mixed || !experiment.own_answers() || experiment.of_attributes() ||
                      experiment.in_factors() || started;
  // Signs of entries may have any rank, and functions of singular values may leave some out.
  const Symmetries symmetries = unit.symmetries();
  const bool keeps = growing && (symmetries.answers_rotate || symmetries.queries_rotate) &&
                     !chooses_values(*unit.choice) &&
                     (mixed || (of_weight && started && !forgets_start(unit)));
  constexpr double tiny = 1e-11, fall = 1e-4, rounding = 3e-14, of_steps = 1e-12;
  const double of_sums = of_weight && mixing ? of_steps
                         : mixed             ? std::numeric_limits<double>::epsilon()
                                             : 0,
               polynomial =
                   mixing ? polynomial_rounding(*unit.choice, !of_weight && !unit.choice->decays()) : 0;
  double largest = 0, most = 0, smallest = 0;  // so far; of as many values as there have been
  for (std::size_t i = 0; i < rank->size(); ++i) {
    const double now = least->at(i) * size->at(i);
    const bool appears = growing && i > 0 && rank->at(i) > rank->at(i - 1) && least->at(i) < tiny &&
                         least->at(i) < fall * least->at(i - 1),
               goes = keeps && rank->at(i) > 0 && rank->at(i) < most,
               shrunk = exact && of_weight && size->at(i) > 0 &&
                        (size->at(i) < rounding * largest || now < rounding * smallest);
    largest = std::fmax(largest, size->at(i));
    if (rank->at(i) > most) most = rank->at(i), smallest = 0;
    if (rank->at(i) == most) smallest = std::fmax(smallest, now);
    if (appears || goes || shrunk || least->at(i) < std::max(of_sums, polynomial))
      return unit.problem->steps[static_cast<Index>(i)];
  }
  return {};
}

}  // namespace

std::string growth_note(const Attempted& kept) {
  constexpr double plenty = 8;
  const Symmetries symmetries = kept.unit.symmetries();
  if (!symmetries.answers_rotate && !symmetries.queries_rotate) return {};
  const std::vector<double>* digits = kept.trajectory.find("digits");
  if (digits && std::ranges::all_of(*digits, [](double left) { return !(left < plenty); })) return {};
  const std::optional<RankGrowth> growth = rank_growth(kept);
  return growth && growth->step > 1 ? text_of(*growth) : "";
}

std::string lost_note(const Unit& unit, const Trajectory& trajectory) {
  const Experiment& experiment = unit.problem->experiment;
  if (trajectory.series.contains("digits") || experiment.sampled() || experiment.removes_recovered())
    return {};
  const std::vector<RankFrom> none = {RankFrom()};
  std::optional<std::int64_t> lost;
  const RuleWork work = unit.query().work;
  if (mixes_columns(experiment) && work.polar_factors + work.decompositions > 0)
    lost = lost_direction(ranks_shown(*unit.problem, trajectory), none, true);
  if (!experiment.own_answers()) lost = earlier(lost, hidden_direction(trajectory.ranks));
  if (!lost) return {};
  return fmt::format(
      "at step {} rounding may hide a direction of the gradient from the rule, and later numbers may be wrong: "
      "run.digits = \"on\" tells",
      *lost);
}

std::string rank_note(const Unit& unit, const Trajectory& trajectory) {
  std::string note;
  if (unit.problem->experiment.precision > 16) return note;
  for (const std::string of : {"update_", "weight_"}) {
    if (const auto step = rounded_rank(unit, trajectory, of))
      note += fmt::format(
          "{}from step {} on rounding may decide {}rank and the measures of singular values with it",
          note.empty() ? "" : "; ", *step, of);
  }
  return note;
}

}  // namespace rarefact
