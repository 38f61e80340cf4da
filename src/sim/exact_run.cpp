#include "sim/exact_run.hpp"

#include <limits>

#include "experiment/precision.hpp"
#include "model/column_layout.hpp"
#include "model/dense_layout.hpp"
#include "model/squares_memory.hpp"
#include "sim/training.hpp"

namespace rarefact {

namespace {

/// A unit as it is prepared.
struct ExactRun {
  const Unit& unit;
  TrainingPlan plan;
  Trajectory& trajectory;
  const LearningProblem& problem = *unit.problem;
  const Experiment& experiment = problem.experiment;
  const Spectrum& spectrum = problem.spectrum;
  SharedInputs& inputs = problem.inputs;
  LossScale loss = problem.loss;
};

CellOrder cell_order(const ExactRun& run) {
  const Engine engine = run.unit.reduction.engine();
  if (engine == Engine::dense || run.experiment.sampled()) return CellOrder::queries;
  return engine == Engine::columns ? CellOrder::types : CellOrder::units;
}

/// Whether the memory stores identical queries or answers as one, so that twin_gain is defined.
template <class Memory>
constexpr bool holds_twins = requires(const Memory& memory, const Gradient<typename Memory::State>& g) {
  memory.twin_gain(g);
};

/// `matrix_rows`: size of the singular value problem. `met`: the sampled classes, if only those are stored.
template <class Memory, class Rule>
void train_on(const Memory& memory, Rule& rule, double matrix_rows, ExactRun& run,
              const MetClasses* met = nullptr) {
  const LearningProblem& problem = run.problem;
  const AnswerLaw* law = run.spectrum.answers.get();
  // A leap does not update the momentum, so updates with momentum cannot be measured.
  const bool updates = !run.plan.forward || run.plan.forward->rule.momentum == 0;
  if (run.plan.measured)
    run.plan.probes = wanted_probes({run.experiment, matrix_rows, law && holds_twins<Memory>, updates});
  if (run.experiment.sampled()) run.plan.sample = met ? run.inputs.met_samples() : run.inputs.samples();
  const std::vector<Cell> cells = memory.cells();
  Recorder recorder(cells, met ? CellsToRows(*met, problem.rows) : CellsToRows(cells, problem.rows),
                    problem.rows.size(), problem.steps.size(), run.loss, run.trajectory, problem.row_least);
  if (law) {
    std::vector<double> mass;
    for (const Cell& cell : cells) mass.push_back(cell.classes * cell.probability);
    const AnswerMeasures answers(*law, run.experiment, cell_order(run), run.inputs.written(),
                                 shown_answers(run.spectrum, problem.rows));
    recorder.measure_answers(
        [answers, mass](const Observation& seen, const Observation&) { return answers(seen, mass); });
  }
  Training<Memory>(memory, rule, run.plan, recorder, problem.workers, run.trajectory).run();
}

/// The memory of a layout, for either loss.
template <class Layout>
void train(Layout layout, const RuleFactory<typename Layout::State>& make, double matrix_rows, ExactRun& run,
           const MetClasses* met = nullptr) {
  const Experiment& experiment = run.experiment;
  const auto rule = make(run.unit.choice->parameters);
  if (!experiment.least_squares())
    return train_on(SoftmaxMemory<Layout>(std::move(layout)), *rule, matrix_rows, run, met);
  if constexpr (std::is_same_v<ScalarOf<typename Layout::State>, double>) {
    auto problem = squares_problem(layout, experiment.squares, experiment.label_noise,
                                   static_cast<std::uint64_t>(experiment.seed), run.plan.shape.rows,
                                   run.problem.workers);
    const SquaresMemory<Layout> memory(std::move(layout), std::move(problem));
    run.loss.least = memory.least_loss(run.problem.workers);
    train_on(memory, *rule, matrix_rows, run);
  }
}

void train_columns(ExactRun& run) {
  const Experiment& experiment = run.experiment;
  const bool removed = experiment.removes_recovered, sampled = experiment.sampled();
  const Population population = population_of(experiment, run.spectrum, sampled ? run.inputs.law() : nullptr);
  const double rows = run.spectrum.answers
                          ? std::numeric_limits<double>::infinity()  // without singular values
                      : sampled ? run.spectrum.classes
                                : static_cast<double>(run.spectrum.groups->size());
  train(sampled ? ColumnLayout::of_classes(population, removed) : ColumnLayout(population, removed),
        run.unit.rule().columns, rows, run);
}

template <class Real>
void train_symmetric(ExactRun& run) {
  RuleFactory<SymmetricMatrix<Real>> rule;
  if constexpr (std::is_same_v<Real, double>)
    rule = run.unit.rule().symmetric;
  else
    rule = run.unit.rule().symmetric50;
  const Symmetries symmetries = run.unit.symmetries();
  const Index block = run.unit.reduction.block;
  const SymmetricEmbeddings embeddings = symmetric_embeddings(run.experiment, symmetries, block);
  // Like class frequencies, rotations and correlations remain doubles.
  const auto as_real = [](const SymmetricEmbedding<double>& side) {
    return SymmetricEmbedding<Real>{side.block.cast<Real>(), side.correlation, side.similarity};
  };
  const MetClasses* met = run.experiment.sampled() ? &run.inputs.met() : nullptr;
  const Population population =
      met ? Population{.queries = met->groups, .label_noise = run.experiment.label_noise}
          : population_of(run.experiment, run.spectrum);
  const bool couples = !run.experiment.least_squares() && !symmetries.keeps_wrong_ties;
  SymmetricLayout<Real> layout(population, block, as_real(embeddings.query), as_real(embeddings.answer),
                               run.experiment.removes_recovered, couples);
  const auto rows = static_cast<double>(std::min(layout.structure().rows(), layout.structure().columns()));
  train(std::move(layout), rule, rows, run, met);
}

/// d_out x d_in, in any coordinates of the run.
WeightShape shape_of_weights(const ExactRun& run) {
  const DenseEmbeddings embeddings = run.inputs.embeddings({});
  const auto rows = [](const std::shared_ptr<const Matrix>& embedding, double identity) {
    return embedding ? static_cast<double>(embedding->rows()) : identity;
  };
  return {rows(embeddings.answer, run.spectrum.answer_count()), rows(embeddings.query, run.spectrum.classes)};
}

void train_dense(ExactRun& run) {
  const Experiment& experiment = run.experiment;
  const Symmetries symmetries = run.unit.symmetries();
  const bool softmax = !experiment.least_squares();
  DenseEmbeddings embeddings;
  if (!run.unit.reduction.task_basis) {
    // Noise of queries and random targets are in all dimensions.
    const bool whole = !softmax && (experiment.sampled() || experiment.squares.random_target());
    embeddings = run.inputs.embeddings(whole ? Symmetries{} : symmetries);
    run.plan.shape = shape_of_weights(run);
  }
  DenseLayout layout(population_of(experiment, run.spectrum, run.inputs.law()), embeddings.query,
                     embeddings.answer, !softmax || symmetries.reads_task, experiment.removes_recovered,
                     softmax && !symmetries.keeps_wrong_ties, experiment.single());
  const DenseMatrix zero = layout.zero();
  const Index least = std::min(zero.entries.rows(), zero.entries.cols());
  train(std::move(layout), run.unit.rule().dense, static_cast<double>(least), run);
}

}  // namespace

void run_exact(const Unit& unit, TrainingPlan plan, Trajectory& trajectory) {
  ExactRun run{unit, std::move(plan), trajectory};
  if (unit.reduction.of_columns()) return train_columns(run);
  if (unit.reduction.way == Way::dense) return train_dense(run);
  in_precision(run.experiment, [&]<class Real>() { train_symmetric<Real>(run); });
}

}  // namespace rarefact
