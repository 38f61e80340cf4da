#pragma once

/// What the runs of both losses on exact engines share.

#include "sim/cost.hpp"
#include "sim/exact_run.hpp"
#include "sim/training.hpp"

namespace rarefact {

inline const OptimizerRow& rule_of(const ExactTask& task) {
  return optimizer_row(task.choice.rule);
}

inline Symmetries symmetries_of(const ExactTask& task) {
  return rule_of(task).symmetries_of(task.choice.parameters);
}

inline CellOrder cell_order(const ExactTask& task) {
  const Engine engine = task.reduction.engine();
  if (engine == Engine::dense || task.experiment.sampled()) return CellOrder::queries;
  return engine == Engine::columns ? CellOrder::types : CellOrder::units;
}

/// Whether queries or answers that are alike are one to it, whose differences an update may multiply.
template <class Memory>
constexpr bool holds_twins = requires(const Memory& memory, const Gradient<typename Memory::State>& g) {
  memory.twin_gain(g);
};

/// `matrix_rows`: size of the singular value problem.
/// `met`: the classes that samples show, where no others are held.
template <class Memory, class Rule>
void train_on(const Memory& memory, Rule& rule, double matrix_rows, ExactTask& task, Trajectory& trajectory,
              const MetClasses* met = nullptr) {
  // A leap leaves the momentum behind, of which updates are made.
  const bool updates = !task.plan.forward || task.plan.forward->rule.momentum == 0;
  if (task.plan.measured)
    task.plan.probes =
        wanted_probes({task.experiment, matrix_rows, task.spectrum.answers && holds_twins<Memory>, updates});
  if (task.experiment.sampled()) task.plan.sample = met ? task.inputs.met_samples() : task.inputs.samples();
  const std::vector<Cell> cells = memory.cells();
  RowRecorder recorder(cells, met ? CellsToRows(*met, task.rows) : CellsToRows(cells, task.rows),
                       task.rows.size(), task.plan.recorded.size(), task.loss, trajectory, task.row_least);
  if (const AnswerLaw* law = task.spectrum.answers.get())
    recorder.measure_answers({*law, task.experiment, cell_order(task), task.inputs.written()});
  Training<Memory>(memory, rule, task.plan, recorder, task.workers, trajectory).run();
}

/// d_out x d_in, whatever coordinates a run takes W in.
inline WeightShape shape_of_weights(const ExactTask& task) {
  const DenseEmbeddings embeddings = task.inputs.embeddings({});
  const auto rows = [](const std::shared_ptr<const Matrix>& embedding, double identity) {
    return embedding ? static_cast<double>(embedding->rows()) : identity;
  };
  return {rows(embeddings.answer, task.spectrum.answer_count()),
          rows(embeddings.query, task.spectrum.classes)};
}

/// Of least squares.
void run_squares(ExactTask& task, Trajectory& trajectory);

}  // namespace rarefact
