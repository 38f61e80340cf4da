#include "model/squares_memory.hpp"
#include "sim/exact_training.hpp"

namespace rarefact {

namespace {

/// `layout` has the law and the embeddings.
template <class Layout>
void train_squares(Layout layout, const RuleFactory<typename Layout::State>& rule, double spectral_rows,
                   ExactTask& task, Trajectory& trajectory) {
  const Experiment& experiment = task.experiment;
  SquaresProblem<typename Layout::State> problem =
      squares_problem(layout, experiment.squares, experiment.label_noise,
                      static_cast<std::uint64_t>(experiment.seed), task.plan.shape.rows, task.workers);
  const SquaresMemory<Layout> memory(std::move(layout), std::move(problem));
  task.loss.least = memory.least_loss(task.workers);
  train_on(memory, *rule(task.choice.parameters), spectral_rows, task, trajectory);
}

}  // namespace

void run_squares(ExactTask& task, Trajectory& trajectory) {
  const Experiment& experiment = task.experiment;
  const OptimizerRow& rule = rule_of(task);
  const Symmetries symmetries = symmetries_of(task);
  const Population population = population_of(experiment, task.spectrum);
  if (task.reduction.of_columns()) {
    ColumnLayout layout =
        experiment.sampled() ? ColumnLayout::of_classes(population) : ColumnLayout(population);
    const auto modes = static_cast<double>(layout.cells().size());
    return train_squares(std::move(layout), rule.columns, modes, task, trajectory);
  }
  if (task.reduction.engine() == Engine::symmetric) {
    const Index block = task.reduction.block;
    const SymmetricEmbeddings embeddings = symmetric_embeddings(experiment, symmetries, block);
    SymmetricLayout<double> layout(population, block, embeddings.query, embeddings.answer);
    const auto rows = static_cast<double>(layout.structure().rows());
    return train_squares(std::move(layout), rule.symmetric, rows, task, trajectory);
  }
  DenseEmbeddings embeddings;
  if (!task.reduction.task_basis) {
    // Noise of queries and random targets are in all dimensions.
    const bool whole = experiment.sampled() || experiment.squares.random_target();
    embeddings = task.inputs.embeddings(whole ? Symmetries{} : symmetries);
    task.plan.shape = shape_of_weights(task);
  }
  DenseLayout layout(population, embeddings.query, embeddings.answer);
  const DenseMatrix zero = layout.zero();
  const auto rows = static_cast<double>(std::min(zero.entries.rows(), zero.entries.cols()));
  train_squares(std::move(layout), rule.dense, rows, task, trajectory);
}

}  // namespace rarefact
