#include "sim/exact_run.hpp"

#include <limits>

#include "experiment/precision.hpp"
#include "model/column_layout.hpp"
#include "model/dense_layout.hpp"
#include "model/squares_memory.hpp"
#include "sim/cost.hpp"
#include "sim/training.hpp"

namespace rarefact {

namespace {

const OptimizerRow& rule_of(const ExactTask& task) {
  return optimizer_row(task.choice.rule);
}

Symmetries symmetries_of(const ExactTask& task) {
  return rule_of(task).symmetries_of(task.choice.parameters);
}

CellOrder cell_order(const ExactTask& task) {
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

/// By either loss.
template <class Layout>
void train(Layout layout, const RuleFactory<typename Layout::State>& make, double matrix_rows,
           ExactTask& task, Trajectory& trajectory, const MetClasses* met = nullptr) {
  const Experiment& experiment = task.experiment;
  const auto rule = make(task.choice.parameters);
  if (!experiment.least_squares())
    return train_on(SoftmaxMemory<Layout>(std::move(layout)), *rule, matrix_rows, task, trajectory, met);
  if constexpr (std::is_same_v<ScalarOf<typename Layout::State>, double>) {
    auto problem =
        squares_problem(layout, experiment.squares, experiment.label_noise,
                        static_cast<std::uint64_t>(experiment.seed), task.plan.shape.rows, task.workers);
    const SquaresMemory<Layout> memory(std::move(layout), std::move(problem));
    task.loss.least = memory.least_loss(task.workers);
    train_on(memory, *rule, matrix_rows, task, trajectory);
  }
}

void train_columns(ExactTask& task, Trajectory& trajectory) {
  const Experiment& experiment = task.experiment;
  const bool removed = experiment.removes_recovered, sampled = experiment.sampled();
  const Population population =
      population_of(experiment, task.spectrum, sampled ? task.inputs.law() : nullptr);
  const double rows = task.spectrum.answers
                          ? std::numeric_limits<double>::infinity()  // without singular values
                      : sampled ? task.spectrum.classes
                                : static_cast<double>(task.spectrum.groups->size());
  train(sampled ? ColumnLayout::of_classes(population, removed) : ColumnLayout(population, removed),
        rule_of(task).columns, rows, task, trajectory);
}

template <class Real>
void train_symmetric(ExactTask& task, Trajectory& trajectory) {
  RuleFactory<SymmetricMatrix<Real>> rule;
  if constexpr (std::is_same_v<Real, double>)
    rule = rule_of(task).symmetric;
  else
    rule = rule_of(task).symmetric50;
  const Symmetries symmetries = symmetries_of(task);
  const Index block = task.reduction.block;
  const SymmetricEmbeddings embeddings = symmetric_embeddings(task.experiment, symmetries, block);
  // Rotations and correlations are, like the class frequencies, the doubles they are.
  const auto as_real = [](const SymmetricEmbedding<double>& side) {
    return SymmetricEmbedding<Real>{side.block.cast<Real>(), side.correlation, side.similarity};
  };
  const MetClasses* met = task.experiment.sampled() ? &task.inputs.met() : nullptr;
  const Population population =
      met ? Population{.queries = met->groups, .label_noise = task.experiment.label_noise}
          : population_of(task.experiment, task.spectrum);
  const bool couples = !task.experiment.least_squares() && !symmetries.keeps_columns;
  SymmetricLayout<Real> layout(population, block, as_real(embeddings.query), as_real(embeddings.answer),
                               task.experiment.removes_recovered, couples);
  const auto rows = static_cast<double>(std::min(layout.structure().rows(), layout.structure().columns()));
  train(std::move(layout), rule, rows, task, trajectory, met);
}

/// d_out x d_in, whatever coordinates a run takes W in.
WeightShape shape_of_weights(const ExactTask& task) {
  const DenseEmbeddings embeddings = task.inputs.embeddings({});
  const auto rows = [](const std::shared_ptr<const Matrix>& embedding, double identity) {
    return embedding ? static_cast<double>(embedding->rows()) : identity;
  };
  return {rows(embeddings.answer, task.spectrum.answer_count()),
          rows(embeddings.query, task.spectrum.classes)};
}

void train_dense(ExactTask& task, Trajectory& trajectory) {
  const Experiment& experiment = task.experiment;
  const Symmetries symmetries = symmetries_of(task);
  const bool softmax = !experiment.least_squares();
  DenseEmbeddings embeddings;
  if (!task.reduction.task_basis) {
    // Noise of queries and random targets are in all dimensions.
    const bool whole = !softmax && (experiment.sampled() || experiment.squares.random_target());
    embeddings = task.inputs.embeddings(whole ? Symmetries{} : symmetries);
    task.plan.shape = shape_of_weights(task);
  }
  DenseLayout layout(population_of(experiment, task.spectrum, task.inputs.law()), embeddings.query,
                     embeddings.answer, !softmax || symmetries.reads_task, experiment.removes_recovered,
                     softmax && !symmetries.keeps_columns, experiment.single());
  const DenseMatrix zero = layout.zero();
  const Index least = std::min(zero.entries.rows(), zero.entries.cols());
  train(std::move(layout), rule_of(task).dense, static_cast<double>(least), task, trajectory);
}

}  // namespace

void run_exact(ExactTask task, Trajectory& trajectory) {
  if (task.reduction.of_columns()) return train_columns(task, trajectory);
  if (task.reduction.way == Way::dense) return train_dense(task, trajectory);
  in_precision(task.experiment, [&]<class Real>() { train_symmetric<Real>(task, trajectory); });
}

}  // namespace rarefact
