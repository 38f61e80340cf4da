#include "sim/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/status.hpp"
#include "model/quadrature_rule.hpp"
#include "sim/comparison.hpp"
#include "sim/predict.hpp"
#include "sim/recorder.hpp"

namespace rarefact {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

/// The least certified error: 7 of 293 random runs had errors up to 8e-12 although two rules agreed to 1e-14.
constexpr double certificate_floor = 1e-11;

/// A floor for the rounding errors of leaps; single updates add only those that momentum amplifies: up to 270
/// ε/(1 - μ) in 200 random runs.
double leap_floor(double momentum) {
  return std::max(1e-11, 400 * std::numeric_limits<double>::epsilon() / (1 - momentum));
}

double certificate(const Unit& unit, const Trajectory& fine, const Trajectory& coarse) {
  if (static_cast<double>(fine.quadrature_nodes) == unit.problem->spectrum.law->classes) return 0;
  if (std::isinf(fine.quadrature_error)) return infinite;
  const double error = disagreement(fine, coarse, unit.problem->steps.size());
  // Rules that differ by more than 1 % have not begun to converge, and their difference means little.
  return error > largest_certificate ? infinite : std::max(error, certificate_floor);
}

/// Runs a quadrature, doubling its nodes in `unit`. Returns why it misses the tolerance, or "".
std::string run_certified(Unit& unit, const UnitRunner& run, Trajectory& fine) {
  const Experiment& experiment = unit.problem->experiment;
  const double tolerance = experiment.quadrature_tolerance;
  const auto run_on = [&](std::int64_t number, bool perturbed) {
    unit.variant.nodes = number;
    return run(perturbed ? unit.perturbed() : unit);
  };
  std::int64_t number = experiment.nodes.value_or(first_nodes);
  if (unit.reduction.way == Way::node_columns)
    number = std::max<std::int64_t>(number, 4);  // 2 a panel, and 1 for comparison
  for (double previous = infinite;; number *= 2) {
    const Trajectory coarse = run_on(std::max<std::int64_t>(1, number / 2), true);
    fine = run_on(number, false);
    const bool jumped = std::isinf(fine.quadrature_error);
    const double error = fine.quadrature_error = certificate(unit, fine, coarse);
    if (error <= tolerance) return "";
    // Many nodes where doubling gains less than a factor of two: convergence is not spectral.
    const bool slow = number > 4 * first_nodes && std::isfinite(error) && error > previous / 2;
    if (experiment.nodes || slow || number >= max_doubled_nodes)
      return jumped
                 ? fmt::format(
                       "with {} nodes neighbouring classes are pushed opposite ways: the error of quadrature cannot be estimated",
                       fine.quadrature_nodes)
                 : fmt::format(
                       "the estimated error of quadrature with {} nodes, {}, exceeds the tolerance {:g}{}",
                       fine.quadrature_nodes,
                       std::isfinite(error) ? fmt::format("{:.2g}", error) : "above 1 %", tolerance,
                       tolerance < certificate_floor ? "; estimates are never below 1e-11"
                       : experiment.nodes            ? "; set run.nodes = \"auto\""
                       : unit.query().by_signs()
                           ? "; rounding may decide whether shares that are multiples of the step size come to rest: change it slightly"
                           : "");
    previous = error;
  }
}

/// Sets the status of a quadrature that misses its tolerance: if the user requested it, its result is shown
/// with the error; if it was chosen automatically, it would be a guess.
void show_missed(const std::string& missed, const LearningProblem& problem, Trajectory& trajectory) {
  if (trajectory.status != Status::complete) return;
  trajectory.status_detail = missed;
  trajectory.status = text_of(problem.experiment.engine == "auto" ? Status::failed : Status::uncertified);
  if (trajectory.status != Status::failed) return;
  trajectory.series.clear();
  prepare_series(problem, trajectory);
}

void check_leaps(const Unit& unit, const UnitRunner& run, Trajectory& trajectory) {
  // Those in closed form are exact.
  if (unit.query().alike()) return void(trajectory.fast_forward_error = leap_floor(0));
  // With the same step size both would make the same single updates: a chaotic run would agree with itself.
  Unit other = unit.perturbed();
  other.variant.leaps_earlier = true;
  const double error = trajectory.fast_forward_error =
                   disagreement(trajectory, run(other), unit.problem->steps.size()) +
                   leap_floor(unit.rule().margins_of(unit.choice->parameters).momentum),
               tolerance = unit.problem->experiment.quadrature_tolerance;
  if (error <= tolerance) return;
  trajectory.status = text_of(Status::uncertified);
  trajectory.status_detail = fmt::format(
      "the estimated error of fast-forwarding, {:.2g}, exceeds the tolerance {:g}; run.fast_forward = \"off\" makes "
      "every update",
      error, tolerance);
}

bool has_rank(const RankFrom& from) {
  return from.rank > 0 && std::isfinite(from.rank);
}

/// The step at which a unit lost a direction: a tame repetition, which loses none, decides on a higher rank there. If the
/// run's rank changed, the tame repetition makes all steps.
std::optional<std::int64_t> lost_direction(Unit unit, const std::vector<RankFrom>& ranks,
                                           const UnitRunner& run) {
  const Experiment& experiment = unit.problem->experiment;
  if (experiment.removes_recovered() || std::ranges::none_of(ranks, has_rank)) return std::nullopt;
  unit.variant.repetition = 1;
  unit.variant.max_rank = any_rank;
  unit.variant.tame_steps = ranks.size() == 1 ? std::min(tame_moves + 1, experiment.steps) : experiment.steps;
  const std::vector<RankFrom> tame = run(unit).ranks;
  // If columns are not mixed, no direction can be hidden; but rounding may add one that the logits do not see.
  const bool steady =
      !tame.empty() && tame.back().step <= tame_moves && !experiment.sampled() && mixes_columns(experiment);
  return lost_direction(ranks, tame, steady);
}

constexpr std::size_t max_outcomes = 256, max_bytes = std::size_t{64} << 20;

std::size_t bytes_of(const OptimizerOutcome& outcome) {
  std::size_t numbers = 0;
  for (const auto& [name, series] : outcome.trajectory.series) numbers += series.size();
  return numbers * sizeof(double);
}

}  // namespace

bool mixes_columns(const Experiment& experiment) {
  return experiment.is_product() || !orthonormal_embeddings(experiment);
}

std::vector<RankFrom> ranks_shown(const LearningProblem& problem, const Trajectory& trajectory) {
  std::vector<RankFrom> ranks = trajectory.ranks;
  const std::vector<double>* found = trajectory.find("update_rank");
  if (std::ranges::none_of(ranks, has_rank) && found) {
    ranks.clear();
    for (std::size_t i = 0; i < found->size(); ++i) ranks.push_back({problem.steps[i], (*found)[i]});
  }
  return ranks;
}

std::optional<RankGrowth> rank_growth(const Attempted& kept) {
  const LearningProblem& problem = *kept.unit.problem;
  if (problem.experiment.sampled()) return std::nullopt;
  const std::vector<RankFrom> ranks = ranks_shown(problem, kept.trajectory);
  const auto more = std::ranges::find_if(
      ranks, [&](const RankFrom& now) { return has_rank(now) && now.rank > ranks.front().rank; });
  if (more == ranks.end()) return std::nullopt;
  return RankGrowth{more->step, ranks.front().rank, more->rank};
}

std::string text_of(const RankGrowth& growth) {
  return fmt::format(
      "rounding may have broken a symmetry: at step {} the rule finds {:g} directions, {:g} at first",
      growth.step, growth.after, growth.before);
}

Attempted attempt(Unit unit, const EngineChoice& engine, const UnitRunner& run) {
  Trajectory trajectory;
  std::string reason = engine.reason, missed;
  if (!unit.reduction.exact()) missed = run_certified(unit, run, trajectory);
  if (!missed.empty() && engine.fallback) {
    unit.reduction = *engine.fallback;
    unit.variant = {};
    reason = reason_text(unit.query(), unit.reduction, missed);
  }
  if (unit.reduction.exact())
    trajectory = run(unit);
  else if (!missed.empty())
    show_missed(missed, *unit.problem, trajectory);
  if (trajectory.status == Status::complete && unit.leaps()) check_leaps(unit, run, trajectory);
  trajectory.optimizer = unit.choice->name;
  trajectory.step_size = unit.step_size;
  trajectory.engine = unit.reduction.engine();
  trajectory.engine_reason = reason;
  return {unit, std::move(trajectory)};
}

void measure_digits(Attempted& kept, const UnitRunner& run) {
  Unit unit = kept.unit;
  const LearningProblem& problem = *unit.problem;
  const std::optional<RankGrowth> growth = rank_growth(kept);
  const EngineCost cost = unit.cost();
  // Where a sweep measures some points, signs of entries, which may have any rank, are no reason to measure another.
  const Symmetries symmetries = unit.symmetries();
  const std::string& digits = problem.experiment.digits;
  const bool turns = symmetries.answers_rotate || symmetries.queries_rotate;
  const bool suspicious = growth && digits != "off" && (turns || digits != "noted");
  const bool wanted = cost.digits || suspicious || (cost.may_repeat && shows_lost_digits(kept));
  if (kept.trajectory.status == Status::failed || !wanted) return;
  // A symmetry that the run keeps is not for repetitions to break.
  const std::vector<RankFrom>& ranks = kept.trajectory.ranks;
  if (!growth && !problem.experiment.sampled() && !ranks.empty() && has_rank(ranks.front()))
    unit.variant.max_rank =
        static_cast<Index>(std::ceil(ranks.front().rank / static_cast<double>(problem.experiment.factors)));
  std::vector<Trajectory> repetitions;
  const bool thin = is_thin(unit.query(), unit.reduction);
  // A few numbers may all be rounded alike by chance, and cost nothing.
  const bool few = unit.reduction.way != Way::dense && !problem.experiment.sampled() &&
                   cost.repetition < 0.01 && problem.spectrum.groups && problem.spectrum.groups->size() <= 2;
  while (unit.variant.repetition++ < (few ? 4 : 1) * rounding_repetitions) {
    repetitions.push_back(run(unit));
    // A direction that rounding adds is as large as the others, and one repetition may add the same one.
    if (repetitions.size() == 1 && !growth && !few && one_may_be_enough(problem.experiment, thin) &&
        one_is_enough(repetitions.front(), problem.steps, kept.trajectory))
      break;
  }
  const double rounding =
      precision_of(problem.experiment).underflows ? std::numeric_limits<double>::epsilon() / 2 : 0;
  std::optional<std::int64_t> lost = lost_direction(unit, repetitions.front().ranks, run);
  const Experiment& experiment = problem.experiment;
  if (!experiment.own_answers() && !experiment.sampled() && !experiment.removes_recovered())
    lost = earlier(lost, hidden_direction(ranks));
  const double chance = thin ? 0.25 : 0;
  for (const Trajectory& repetition : repetitions)
    kept.undecided = earlier(kept.undecided, first_difference({"recovered_count", "tied_count"}, repetition,
                                                              kept.trajectory, problem.steps));
  fill_digits(repetitions, problem.steps, lost, rounding, chance, kept.trajectory);
  // If queries share answers, all repetitions may lose or add the same directions of the population's gradient. Only the
  // ranks of rules that decompose it show this.
  const bool unseen = !experiment.own_answers() && std::ranges::none_of(ranks, has_rank);
  if (const auto found = kept.trajectory.series.find("alignment_digits");
      unseen && found != kept.trajectory.series.end())
    std::ranges::fill(found->second, 0);
  if (!growth || kept.trajectory.status != Status::digits_lost) return;
  kept.trajectory.status_detail += "; " + text_of(*growth);
  // Where rounding chose a direction, the last digits in which repetitions agree are chance.
  for (auto& [name, series] : kept.trajectory.series) {
    if (!name.ends_with("digits")) continue;
    for (std::size_t i = 0; i < series.size(); ++i)
      if (problem.steps[i] > growth->step && series[i] < min_digits) series[i] = 0;
  }
}

std::vector<const PredictionRow*> predict_beside(Attempted& kept) {
  const Unit& unit = kept.unit;
  const LearningProblem& problem = *unit.problem;
  const Experiment& experiment = problem.experiment;
  const Spectrum& spectrum = problem.spectrum;
  PredictionInput input = prediction_input(experiment, *unit.choice, unit.step_size, spectrum);
  const std::vector<const PredictionRow*> possible = applicable_predictions(input);
  // The rows of samples of classes that are not written out are octaves of ranks.
  if (possible.empty() || (unit.reduction.exact() && !spectrum.groups)) return {};
  // Nodes per panel: the usual number, or that of a run on panels that needed more.
  const int order = unit.reduction.way == Way::node_columns
                        ? std::max(usual_panel_order, static_cast<int>(unit.variant.nodes / 2))
                        : usual_panel_order;
  const bool drawn = !input.equicorrelated && std::ranges::any_of(possible, &PredictionRow::any_embeddings);
  if (drawn) {  // their rules do not depend on rotations
    const DenseEmbeddings columns =
        problem.inputs.embeddings({.answers_rotate = true, .queries_rotate = true});
    input.query_columns = columns.query, input.answer_columns = columns.answer;
  }
  const PredictedClasses classes = drawn ? predicted_classes(*spectrum.groups, problem.rows)
                                   : unit.reduction.exact() ? predicted_groups(*spectrum.groups, problem.rows)
                                                            : predicted_nodes(spectrum, problem.rows, order);
  input.class_count = classes.groups.count;
  input.class_probability = classes.groups.probability;
  if (!classes.answers.empty()) input.answers = classes.answers;
  return in_precision(experiment, [&]<class Real>() {
    return predict<Real>(input, classes, problem.steps, kept.trajectory);
  });
}

std::shared_ptr<const OptimizerOutcome> KnownOutcomes::find(const Experiment& alone) {
  const std::lock_guard lock(mutex_);
  const auto found =
      std::ranges::find_if(latest_, [&](const auto& outcome) { return outcome->alone == alone; });
  if (found == latest_.end()) return nullptr;
  latest_.splice(latest_.begin(), latest_, found);
  return latest_.front();
}

void KnownOutcomes::keep(std::shared_ptr<const OptimizerOutcome> outcome) {
  const std::lock_guard lock(mutex_);
  bytes_ += bytes_of(*outcome);
  latest_.push_front(std::move(outcome));
  while (latest_.size() > max_outcomes || bytes_ > max_bytes) {
    bytes_ -= bytes_of(*latest_.back());
    latest_.pop_back();
  }
}

}  // namespace rarefact
