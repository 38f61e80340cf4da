// From a unit to its training: prepares all inputs of the first step, for every engine.

#include "sim/unit.hpp"

#include "experiment/experiment.hpp"
#include "model/squares_memory.hpp"
#include "sim/jump_detector.hpp"
#include "sim/node_recorder.hpp"
#include "sim/predict.hpp"
#include "sim/training.hpp"

namespace rarefact {

namespace {

/// For cells that are classes, or sets of identical classes.
template <class Memory>
Recorder recorder_of_cells(const Memory& memory, TrainingPlan& run) {
  const std::vector<Cell> cells = memory.cells();
  const LearningProblem& problem = run.problem;
  Recorder recorder(cells,
                    run.sampled         ? CellsToRows(*run.sampled, problem.rows)
                    : run.alike_queries ? CellsToRows(problem.rows.size())
                                        : CellsToRows(cells, problem.rows),
                    problem, run.loss, run.trajectory);
  if (!problem.bands.empty())
    recorder.measure_bands(run.sampled         ? over_bands(*run.sampled, problem.bands, run.spectrum)
                           : run.alike_queries ? CellsToRows(problem.bands.size())
                                               : over_bands(cells, problem.bands, run.spectrum));
  if (!problem.answers || problem.loss.squares) return recorder;
  const bool written_out = run.unit.reduction.way == Way::dense || run.experiment.sampled();
  recorder.measure_answers(AnswerMeasures(*run.spectrum.answers, run.experiment, cells,
                                          written_out ? run.inputs.law() : nullptr, problem.among_all));
  return recorder;
}

template <class Memory>
void train_on(const Memory& memory, TrainingPlan& run) {
  using M = typename Memory::State;
  // A leap does not update the momentum, so updates with momentum cannot be measured.
  const bool updates = !run.forward || run.forward->rule.momentum == 0;
  const bool multiplicity = run.problem.answers && Memory::kind == MemoryKind::symmetric;
  const bool repeated = run.unit.variant.repetition > 0;
  if (!run.unit.cost().spectra) run.matrix_rows = std::numeric_limits<double>::infinity();
  if (run.unit.variant.shown() || repeated)
    run.probes = wanted_probes({run.experiment, run.matrix_rows, multiplicity, updates, repeated});
  if (run.probes.needs.singular_values || run.query.work.polar_factors > 0)
    run.max_ranks = rank_bounds(run.experiment, *run.unit.choice, run.spectrum, run.embeddings);
  const double max_rank = run.max_ranks.update;
  if (max_rank < static_cast<double>(run.known_rank)) run.known_rank = static_cast<Index>(max_rank);
  if constexpr (Memory::kind == MemoryKind::symmetric) {
    if (std::isfinite(max_rank) && run.symmetries.answers_rotate)
      run.known_rank = std::min(run.known_rank, memory.zero().structure().rows() - 1);
  }
  // Queries that are sums of attributes, and recovered facts without a gradient, lower the rank.
  if (run.probes.needs.polar_factor && !run.experiment.of_attributes() && !run.experiment.removes_recovered())
    run.gradient_rank = gradient_rank(run.experiment, run.spectrum, run.embeddings);
  if (run.experiment.sampled()) run.sample = run.sampled ? run.inputs.sampled_draws() : run.inputs.samples();
  std::vector<std::unique_ptr<UpdateRule<M>>> made;
  RulesOf<M> rules;
  const auto add = [&](const OptimizerRow& rule, const ParameterValues& parameters) {
    rules.push_back(made.emplace_back(rule.make<M>(parameters)).get());
  };
  for (std::int64_t i = 0; i < run.experiment.factors; ++i) add(run.unit.rule(), run.unit.choice->parameters);
  if (run.experiment.train_gains) add(optimizer_row(run.unit.rule().of_gains), {});
  const auto train = [&](Recorder& recorder) { Training<Memory>(memory, rules, run, recorder).run(); };
  if (!run.nodes) {
    Recorder recorder = recorder_of_cells(memory, run);
    return train(recorder);
  }
  if constexpr (requires(const M& d) { jumps(d, QuadratureRule(), true); }) {
    run.trajectory.quadrature_nodes = static_cast<std::int64_t>(run.nodes->size());
    NodeRecorder recorder(memory.cells(), *run.nodes, !run.unit.reduction.of_columns(), run.problem, run.loss,
                          run.trajectory);
    if (recorder.interpolates())
      run.complete_logits = [&](OneStepLogits<double> seen) { return recorder.with_ends(std::move(seen)); };
    // The polynomials and smoothings of Muon are steep where its polar factor jumps.
    const bool may_jump = run.symmetries.amplifies_small_entries || !run.symmetries.keeps_wrong_ties;
    std::vector<JumpWatch<M>> watched;
    watched.reserve(rules.size());
    for (UpdateRule<M>*& rule : rules)
      if (may_jump)
        rule = &watched.emplace_back(*rule, *run.nodes, run.symmetries.queries_rotate,
                                     run.trajectory.quadrature_error);
    train(recorder);
  }
}

/// The memory of a layout, for either loss.
template <class Layout>
void train(Layout layout, TrainingPlan& run) {
  const Experiment& experiment = run.experiment;
  if (run.softmax) return train_on(SoftmaxMemory<Layout>(std::move(layout)), run);
  if constexpr (std::is_same_v<ScalarOf<typename Layout::State>, double>) {
    const auto problem_by = [&](double Cell::*law) {
      return squares_problem(layout, experiment.squares, experiment.seeds(), run.shape.rows,
                             run.problem.workers, law);
    };
    std::optional<SquaresProblem<typename Layout::State>> measured;
    if (experiment.sampling_exponent != 1) measured = problem_by(&Cell::probability);
    auto problem = problem_by(&Cell::training);
    const SquaresMemory<Layout> memory(std::move(layout), std::move(problem), std::move(measured));
    run.loss.least = memory.least_loss(run.problem.workers);
    train_on(memory, run);
  }
}

/// One column for all queries, whose answers are ranks up to that of shares as small as the step size, and nodes beyond;
/// nodes only for a quadrature.
void run_one_column(TrainingPlan& run) {
  const AlikeAnswers& alike = *run.query.alike();
  const double answers = alike.shares.classes;
  const bool exact = run.unit.reduction.exact();
  QuadratureRule rule;
  const auto add = [&](double rank, double count) {
    rule.rank.push_back(rank);
    rule.count.push_back(count);
  };
  double head = exact ? answers : run.query.walked_shares(run.unit.step_size);
  if (alike.uniform()) {
    add(1, 1);
    add(2, answers - 1);
  } else {
    const int order = std::max(1, static_cast<int>(run.unit.variant.nodes / 2));
    const QuadratureRule all = exact ? QuadratureRule() : panel_rule(answers, order);
    if (!exact) {  // whole panels
      double end = 2.0 * order;
      while (end < head) end = 2 * end + 1;
      head = std::min(answers, end);
    }
    for (double rank = 1; rank <= head; ++rank) add(rank, 1);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all.rank[i] > head) add(all.rank[i], all.count[i]);
  }
  if (!exact) run.trajectory.quadrature_nodes = static_cast<std::int64_t>(rule.size());
  run.alike_queries = true;
  train(ColumnLayout::one_column(run.spectrum.classes, alike, rule.rank, rule.count), run);
}

void run_columns(TrainingPlan& run) {
  if (run.query.by_signs()) return run_one_column(run);
  if (run.query.alike() && run.unit.reduction.way == Way::modes)
    return train(ColumnLayout::along_answers(*run.spectrum.groups, *run.query.alike(), run.spectrum.sampling),
                 run);
  const bool sampled = run.experiment.sampled();
  const Population population =
      population_of(run.experiment, run.spectrum, sampled ? run.inputs.law() : nullptr);
  // Columns have no singular values under answer laws.
  if (!run.spectrum.answers)
    run.matrix_rows = sampled ? run.spectrum.classes : static_cast<double>(run.spectrum.groups->size());
  train(sampled ? ColumnLayout::of_classes(population) : ColumnLayout(population), run);
}

/// On node columns the classes of the rows are trained along exactly, with weight 0.
void run_node_columns(TrainingPlan& run) {
  if (run.query.by_signs()) return run_one_column(run);
  const SmoothLaw& law = *run.spectrum.law;
  const int order = std::max(1, static_cast<int>(run.unit.variant.nodes / 2));
  const QuadratureRule& rule =
      run.nodes.emplace(panel_rule(law.classes, order, 0, cuts_of(run.problem.bands)));
  const double total = weight_of_ranks(law, law.classes);
  ClassGroups groups;
  const auto add = [&](double count, double rank) {
    groups.count.push_back(count);
    groups.probability.push_back(law.probability(rank, total));
  };
  for (std::size_t i = 0; i < rule.size(); ++i) add(rule.count[i] * law.queries(rule.rank[i]), rule.rank[i]);
  for (const double rank : run.problem.rows.ranks()) add(0, rank);
  if (run.query.alike())
    return train(ColumnLayout::along_answers(groups, *run.query.alike(), run.spectrum.sampling), run);
  train(ColumnLayout(groups, law.classes, run.experiment.label_noise, run.spectrum.sampling), run);
}

/// E or Ẽ in the symmetric algebra with blocks of `block` classes; the identity if it drops out. Like class
/// frequencies, rotations and correlations remain doubles.
template <class Real>
SymmetricEmbedding<Real> symmetric_embedding(const ChosenRow& side, const char* stream, bool rotates,
                                             Index block) {
  const EmbeddingRow& row = embedding_row(side.kind);
  SymmetricEmbedding<Real> embedding;
  if (row.orthonormal && rotates) return embedding;
  if (row.equicorrelated) embedding.correlation = side.parameters.number("rho");
  if (block > 1 && row.block) embedding.block = rotation_block(side.parameters, stream).cast<Real>();
  return embedding;
}

template <class Real>
SymmetricLayout<Real> symmetric_layout(const TrainingPlan& run, const ClassGroups& groups,
                                       const Components& components, bool own) {
  const Experiment& e = run.experiment;
  const Symmetries& rule = run.symmetries;
  const Index block = run.unit.reduction.block;
  return SymmetricLayout<Real>(
      components, own, population_of(e, run.spectrum, groups),
      symmetric_embedding<Real>(e.query_embedding, "query", rule.queries_rotate, block),
      symmetric_embedding<Real>(e.answer_embedding, e.tied ? "query" : "answer", rule.answers_rotate, block),
      run.softmax && !rule.keeps_wrong_ties);
}

/// Answers drop out. Singular values are those of W only if its columns sum to zero (AttributeView).
template <class Real>
SymmetricLayout<Real> attribute_layout(const TrainingPlan& run, const ClassGroups& groups) {
  const auto view = std::make_shared<const AttributeView<Real>>(
      *run.spectrum.grid, attribute_gains(run.experiment.memory_queries().parameters));
  SymmetricEmbedding<Real> query;
  query.attributes = view;
  return SymmetricLayout<Real>(view->components(), true, population_of(run.experiment, run.spectrum, groups),
                               query, {}, true);
}

template <class Real>
void run_symmetric(TrainingPlan& run) {
  if (run.experiment.sampled()) run.sampled = &run.inputs.sampled();
  const AnswerLaw* law = run.sampled ? nullptr : run.spectrum.answers.get();
  const ClassGroups& groups = run.sampled ? run.sampled->groups : *run.spectrum.groups;
  SymmetricLayout<Real> layout =
      run.experiment.of_attributes()
          ? attribute_layout<Real>(run, groups)
          : symmetric_layout<Real>(
                run, groups, law ? *law->components : in_blocks(groups, run.unit.reduction.block), !law);
  // Without sums of zero, four numbers are not singular values of W.
  const bool of_orbits = !run.experiment.of_attributes() || run.spectrum.groups->size() > 1;
  if (of_orbits || run.symmetries.answers_rotate)
    run.matrix_rows = static_cast<double>(std::min(layout.structure().rows(), layout.structure().columns()));
  train(std::move(layout), run);
}

void run_node_symmetric(TrainingPlan& run) {
  const SmoothLaw& law = *run.spectrum.law;
  const QuadratureRule& rule = run.nodes.emplace(gauss_rule(law.classes, run.unit.variant.nodes));
  const double total = weight_of_ranks(law, law.classes);
  ClassGroups nodes{rule.count, {}};
  for (const double rank : rule.rank) nodes.probability.push_back(law.probability(rank, total));
  Components components = in_blocks(nodes, 1);
  for (std::size_t i = 0; i < rule.size(); ++i)
    components.groups[i].queries.front().multiplicity = law.queries(rule.rank[i]);
  train(symmetric_layout<double>(run, nodes, components, !law.fan_in), run);
}

void run_dense(TrainingPlan& run) {
  const Experiment& experiment = run.experiment;
  const Symmetries& rule = run.symmetries;
  DenseEmbeddings& embeddings = run.embeddings;
  if (!run.unit.reduction.task_basis) {
    embeddings = run.inputs.embeddings({});
    if (embeddings.answer) run.shape.rows = static_cast<double>(embeddings.answer->rows());
    if (embeddings.query) run.shape.columns = static_cast<double>(embeddings.query->rows());
    // Noise of queries and random targets are in all dimensions.
    if (run.softmax || !(experiment.sampled() || experiment.squares.random_target()))
      embeddings = run.inputs.embeddings(rule);
  }
  const bool small_directions = rule.answers_rotate && rule.queries_rotate && rule.amplifies_small_entries;
  DenseLayout layout(population_of(experiment, run.spectrum, run.inputs.law()), embeddings.query,
                     embeddings.answer,
                     {.keeps_task = !run.softmax || rule.reads_task,
                      .couples_columns = run.softmax && !rule.keeps_wrong_ties,
                      .single = experiment.single(),
                      .drops_rounding = run.softmax && (small_directions || rule.scale_invariant),
                      .drops_all_or_none = !small_directions});
  const DenseMatrix zero = layout.zero();
  run.matrix_rows = static_cast<double>(std::min(zero.entries.rows(), zero.entries.cols()));
  train(std::move(layout), run);
}

}  // namespace

EngineCost Unit::cost() const {
  return training_cost(query(), reduction, static_cast<double>(variant.nodes));
}

Unit Unit::perturbed() const {
  Unit other = *this;
  other.variant.perturbed = true;
  other.step_size = std::nextafter(step_size, std::numeric_limits<double>::infinity());
  return other;
}

Trajectory run(const Unit& unit, const Watch& watch) {
  Trajectory trajectory;
  const LearningProblem& problem = *unit.problem;
  TrainingPlan prepared{unit, watch, trajectory, weight_shape(problem.experiment, problem.spectrum)};
  prepared.orthonormal = prepared.softmax && orthonormal_embeddings(problem.experiment);
  // W stays along the mean answer that all queries have.
  const AnswerLaw* law = prepared.query.answers();
  const bool one_mean = !prepared.softmax && !prepared.experiment.sampled() &&
                        prepared.experiment.starts_at_zero() && law && law->alike && law->alike->same;
  if (one_mean && prepared.symmetries.answers_rotate) prepared.known_rank = 1;
  if (unit.leaps())
    prepared.forward = {unit.rule().margins_of(unit.choice->parameters), unit.variant.leaps_earlier};
  switch (unit.reduction.way) {
    case Way::modes:
    case Way::columns:
      run_columns(prepared);
      break;
    case Way::node_columns:
      run_node_columns(prepared);
      break;
    case Way::symmetric:
      in_precision(problem.experiment, [&]<class Real>() { run_symmetric<Real>(prepared); });
      break;
    case Way::node_symmetric:
      run_node_symmetric(prepared);
      break;
    case Way::dense:
      run_dense(prepared);
      break;
    case Way::leap:
      throw std::logic_error("a leap is on top of another way");
  }
  return trajectory;
}

}  // namespace rarefact
