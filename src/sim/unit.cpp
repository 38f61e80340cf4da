#include "sim/unit.hpp"

#include <fmt/format.h>

#include "sim/cost.hpp"
#include "sim/exact_run.hpp"
#include "sim/node_run.hpp"
#include "sim/predict.hpp"

namespace rarefact {

namespace {

std::string name_of(const Variant& variant) {
  return fmt::format(".{}.{}{}", variant.nodes, variant.repetition, variant.checks_leaps ? ".check" : "");
}

TrainingPlan plan_of(const Unit& unit, const Watch& watch) {
  const auto& [problem, choice, reduction, step_size, variant] = unit;
  const Experiment& experiment = problem->experiment;
  const bool softmax = !experiment.least_squares();
  TrainingPlan plan{.steps = experiment.steps,
                    .step_size = step_size,
                    .schedule = &schedule_row(choice->schedule),
                    .schedule_offset = choice->schedule_offset,
                    .recorded = problem->steps,
                    .measured = variant.shown(),
                    .reads_curvature = unit.rule().reads_curvature,
                    .orthonormal = softmax && orthonormal_embeddings(experiment, problem->spectrum),
                    .diagonal = experiment.own_answers(),
                    .shape = weight_shape(experiment, problem->spectrum),
                    .repetition = variant.repetition,
                    .progress = watch.progress,
                    .checkpoints = watch.checkpoints,
                    .name = watch.name + name_of(variant)};
  const Symmetries symmetries = unit.symmetries();
  if (softmax && symmetries.answers_rotate && !symmetries.reads_task)
    plan.max_rank = problem->spectrum.answer_count() - 1;
  if (unit.leaps()) plan.forward = ForwardPlan{unit.rule().margins(choice->parameters), variant.checks_leaps};
  return plan;
}

}  // namespace

LearningProblem::LearningProblem(const Experiment& e, const Spectrum& s, std::vector<std::int64_t> recorded,
                                 ArrayReader reader, const Workers& w)
    : experiment(e),
      spectrum(s),
      workers(w),
      steps(std::move(recorded)),
      rows(rows_of(e, s)),
      inputs(e, s, std::move(reader), w) {
  const std::vector<double> entropies = min_losses(e, s);
  loss = {e.least_squares() ? 0 : least_loss(e, s, entropies), s.answer_count(), e.least_squares()};
  row_least = row_least_losses(e, s, rows, entropies);
  if (s.answers) answers = answers_of(s, rows, loss.least);
}

Trajectory run(const Unit& unit, const Watch& watch) {
  Trajectory trajectory;
  (unit.reduction.exact() ? run_exact : run_on_nodes)(unit, plan_of(unit, watch), trajectory);
  return trajectory;
}

}  // namespace rarefact
