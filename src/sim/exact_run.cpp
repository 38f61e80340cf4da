#include <limits>

#include "experiment/precision.hpp"
#include "model/column_layout.hpp"
#include "model/dense_layout.hpp"
#include "sim/exact_training.hpp"

namespace rarefact {

namespace {

void train_columns(ExactTask& task, Trajectory& trajectory) {
  const Experiment& experiment = task.experiment;
  const bool removed = experiment.removes_recovered, sampled = experiment.sampled();
  const Population population =
      population_of(experiment, task.spectrum, sampled ? task.inputs.law() : nullptr);
  const auto rule = rule_of(task).columns(task.choice.parameters);
  const double rows = task.spectrum.answers
                          ? std::numeric_limits<double>::infinity()  // without singular values
                      : sampled ? task.spectrum.classes
                                : static_cast<double>(task.spectrum.groups->size());
  const ColumnMemory memory =
      sampled ? ColumnLayout::of_classes(population, removed) : ColumnLayout(population, removed);
  train_on(memory, *rule, rows, task, trajectory);
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
  const SymmetricMemory<Real> memory(population, block, as_real(embeddings.query), as_real(embeddings.answer),
                                     task.experiment.removes_recovered, !symmetries.keeps_columns);
  const GroupStructure& structure = memory.structure();
  train_on(memory, *rule(task.choice.parameters),
           static_cast<double>(std::min(structure.rows(), structure.columns())), task, trajectory, met);
}

void train_dense(ExactTask& task, Trajectory& trajectory) {
  const OptimizerRow& rule = rule_of(task);
  const Symmetries symmetries = symmetries_of(task);
  DenseEmbeddings embeddings;
  if (!task.reduction.task_basis) {
    embeddings = task.inputs.embeddings(symmetries);
    task.plan.shape = shape_of_weights(task);
  }
  const DenseMemory memory(population_of(task.experiment, task.spectrum, task.inputs.law()), embeddings.query,
                           embeddings.answer, symmetries.reads_task, task.experiment.removes_recovered,
                           !symmetries.keeps_columns, task.experiment.single());
  const DenseMatrix zero = memory.zero();
  const Index least = std::min(zero.entries.rows(), zero.entries.cols());
  train_on(memory, *rule.dense(task.choice.parameters), static_cast<double>(least), task, trajectory);
}

}  // namespace

void run_exact(ExactTask task, Trajectory& trajectory) {
  if (task.experiment.least_squares()) return run_squares(task, trajectory);
  if (task.reduction.engine() == Engine::columns) return train_columns(task, trajectory);
  if (task.reduction.engine() == Engine::dense) return train_dense(task, trajectory);
  in_precision(task.experiment, [&]<class Real>() { train_symmetric<Real>(task, trajectory); });
}

}  // namespace rarefact
