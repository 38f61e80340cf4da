#include "model/squares_memory.hpp"
#include "sim/exact_training.hpp"

namespace rarefact {

namespace {

/// `base` has the law and the embeddings.
template <class Base>
void train_squares(Base base, const RuleFactory<typename Base::State>& rule, double spectral_rows,
                   ExactTask& task, Trajectory& trajectory) {
  const Experiment& experiment = task.experiment;
  SquaresProblem<typename Base::State> problem =
      squares_problem(base, experiment.squares, experiment.label_noise,
                      static_cast<std::uint64_t>(experiment.seed), task.plan.shape.rows, task.workers);
  const SquaresMemory<Base> memory(std::move(base), std::move(problem));
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
    ColumnMemory base =
        experiment.sampled() ? ColumnMemory::of_classes(population) : ColumnMemory(population);
    const auto modes = static_cast<double>(base.cells().size());
    return train_squares(std::move(base), rule.columns, modes, task, trajectory);
  }
  if (task.reduction.engine() == Engine::symmetric) {
    const Index block = task.reduction.block;
    const SymmetricEmbeddings embeddings = symmetric_embeddings(experiment, symmetries, block);
    SymmetricMemory<double> base(population, block, embeddings.query, embeddings.answer);
    const auto rows = static_cast<double>(base.structure().rows());
    return train_squares(std::move(base), rule.symmetric, rows, task, trajectory);
  }
  DenseEmbeddings embeddings;
  if (!task.reduction.task_basis) {
    // Noise of queries and random targets are in all dimensions.
    const bool whole = experiment.sampled() || experiment.squares.random_target();
    embeddings = task.inputs.embeddings(whole ? Symmetries{} : symmetries);
    task.plan.shape = shape_of_weights(task);
  }
  DenseMemory base(population, embeddings.query, embeddings.answer);
  const DenseMatrix zero = base.zero();
  const auto rows = static_cast<double>(std::min(zero.entries.rows(), zero.entries.cols()));
  train_squares(std::move(base), rule.dense, rows, task, trajectory);
}

}  // namespace rarefact
