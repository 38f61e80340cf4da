#pragma once

/// What the refusal of an engine protects from: the run on that engine all the same.

#include "laws/experiments.hpp"
#include "model/column_layout.hpp"
#include "model/margin.hpp"
#include "model/symmetric_layout.hpp"
#include "sim/training.hpp"

namespace laws {

/// On columns or on the symmetric engine, exact or not: rotations are taken out of the problem, correlations stay.
inline Result forced(const Experiment& e, Engine engine) {
  const Spectrum spectrum = classes_of(e);
  const ClassGroups& groups = *spectrum.groups;
  const ClassRows rows = rows_at(requested_ranks(e.classes, spectrum), spectrum);
  const OptimizerChoice& choice = e.optimizers.front();
  const OptimizerRow& rule = optimizer_row(choice.rule);
  Result result;
  result.runs.resize(1);
  result.runs[0].trajectories.resize(1);
  Trajectory& trajectory = result.runs[0].trajectories[0];
  TrainingPlan plan{
      .steps = e.steps, .step_size = choice.step_size, .recorded = recorded_steps(e.record, e.steps)};
  plan.shape = {groups.total(), groups.total()};
  const auto run = [&](const auto& memory, auto& update) {
    const std::vector<Cell> cells = memory.cells();
    Recorder recorder(cells, CellsToRows(cells, rows), rows.size(), plan.recorded.size(),
                      {irreducible_loss(groups.total(), e.label_noise), groups.total()}, trajectory);
    Training(memory, update, plan, recorder, Workers::serial(), trajectory).run();
  };
  const auto correlations = [](const Component& side) {
    return SymmetricEmbedding<double>{{},
                                      side.kind == "equicorrelated" ? side.parameters.number("rho") : 0.0};
  };
  if (engine == Engine::columns) {
    run(ColumnMemory({groups, e.label_noise}), *rule.columns(choice.parameters));
  } else {
    run(SymmetricMemory<double>({groups, e.label_noise}, 1, correlations(e.query_embedding),
                                correlations(e.answer_embedding)),
        *rule.symmetric(choice.parameters));
  }
  return result;
}

}  // namespace laws
