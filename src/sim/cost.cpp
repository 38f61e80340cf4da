#include "sim/cost.hpp"

#include <algorithm>
#include <cmath>

#include "experiment/precision.hpp"
#include "metrics/probe.hpp"
#include "model/embedding.hpp"
#include "model/quadrature_rule.hpp"
#include "model/sampled_classes.hpp"
#include "model/sampler.hpp"
#include "sim/fast_forward.hpp"
#include "sim/inputs.hpp"
#include "sim/predict.hpp"
#include "sim/result_rows.hpp"

namespace rarefact {

namespace {

/// Longest time of all repetitions of a run for which digits are measured by default.
constexpr double affordable_seconds = 0.1;

/// Additional matrices of a repetition: randomly rounded logits and direction.
constexpr double rounded_copies = 2;

/// Upper bound of the number of series without rows.
constexpr double max_totals = 50;

/// Bytes of a file besides its series: names, texts, classes.
constexpr double file_bytes = 2e5;

double records_of(const Experiment& experiment) {
  return static_cast<double>(recorded_steps(experiment.record, experiment.steps).size());
}

bool identity(const Experiment& experiment) {
  return embedding_row(experiment.query_embedding.kind).identity &&
         embedding_row(experiment.answer_embedding.kind).identity;
}

/// The number of nodes of a panel rule with `each` nodes per panel.
double panel_nodes(const Spectrum& spectrum, double per_panel) {
  return per_panel * (std::log2(spectrum.classes) + 1);
}

/// Approximate number of rows of a result.
double row_count(const Experiment& experiment, const Spectrum& spectrum) {
  if (experiment.classes.kind == ClassRule::Kind::all) return spectrum.classes;
  if (experiment.classes.kind == ClassRule::Kind::list)
    return static_cast<double>(experiment.classes.list.size());
  if (shows_groups(spectrum)) return static_cast<double>(spectrum.groups->size());
  return usual_panel_order * (2 + std::log2(spectrum.classes));
}

/// The data of a training that determine its cost.
struct RunSize {
  const EngineQuery& query;
  const Reduction& reduction;
  double rows;  ///< rows of square matrices, columns of column matrices, or √(KN) in the coordinates of W
  const Experiment& experiment = query.experiment;
  bool products = reduction.way == Way::dense && !reduction.task_basis && !identity(experiment);
  WeightShape shape = products ? weight_shape(experiment, query.spectrum) : WeightShape{rows, rows};
  double least = std::min(shape.rows, shape.columns);
  Needs needs = wanted_probes({experiment, least}).needs;
  double records = records_of(experiment), steps = static_cast<double>(experiment.steps);
  double draws = draws_of(experiment.data_mode, experiment.data_parameters);
  bool leaps = why_single(query, reduction.way).empty();
  RuleWork work = query.work;
  /// Number of ranks that a quadrature records.
  double ranks = reduction.exact() ? 0 : row_count(experiment, query.spectrum);
  double entries = shape.rows * shape.columns, cube = entries * least;
  double matrix_bytes = precision_of(experiment).bytes * entries;
  /// Correction for small matrices, which are vectorised only for doubles.
  double slowness = 1 + 8 * (precision_of(experiment).slowness - 1);
};

/// Bytes of the draws of a sample and of their counts.
double sample_bytes(const RunSize& run) {
  if (!run.experiment.sampled()) return 0;
  const double queries = run.query.spectrum.classes;
  const double pairs = run.experiment.label_noise > 0 ? queries * run.query.spectrum.answer_count()
                       : run.query.answers()          ? run.draws
                                                      : queries;
  return 8 * run.draws + 60 * std::min(run.draws, pairs);
}

double column_bytes(const RunSize& run) {
  const double columns = run.rows + run.ranks;
  double bytes = 8 * columns * (17 + 2 * run.work.matrices + (run.experiment.sampled() ? 2 : 0));
  if (wanted_probes({run.experiment, columns}).needs.singular_values) {
    // Passes over all columns, and over those that are not zero.
    const double drawn = run.experiment.sampled() ? run.steps * run.draws : columns;
    bytes += 8 * (4 * columns * columns + 3 * std::pow(std::min(columns, drawn), 2));
  }
  return bytes;
}

/// The number of matrices: W, the gradient and those of the rule; on the dense engine also the tiles of logits;
/// for the alignment also the population's gradient and its polar factor.
double state_matrices(const RunSize& run) {
  return 2 + (run.reduction.way == Way::dense) + (run.needs.polar_factor ? 2 : 0) + run.work.matrices;
}

/// Scratch of a polar factor or of singular values, whichever is larger.
double work_matrices(const RunSize& run) {
  if (run.work.polar_factors > 0 || run.needs.polar_factor) return 9;
  return run.needs.singular_values ? 10 : 0;
}

/// Bytes on symmetric matrices; includes interpolation weights of a quadrature.
double square_bytes(const RunSize& run) {
  const double mixing = run.reduction.task_basis || identity(run.experiment) ? 0 : 2;
  const double newton = run.query.rule.reads_curvature || run.experiment.loss->of_outputs ? 6 : 0;
  return run.matrix_bytes * (state_matrices(run) + work_matrices(run) + mixing + newton) +
         8 * run.ranks * (1.5 * run.rows + 8);
}

/// Bytes in the coordinates of W.
double dense_bytes(const RunSize& run) {
  if (!run.products) return square_bytes(run);
  const Symmetries& rule = run.query.symmetries;
  const double queries = run.query.spectrum.classes, answers = run.query.spectrum.answer_count();
  const auto [rows, columns] = run.shape;
  double numbers =
      state_matrices(run) * rows * columns + 3 * rows * queries + rows * answers + columns * queries;
  // Second moment, minimiser, and their products.
  if (run.experiment.loss->of_outputs)
    numbers += 3 * columns * columns + 3 * rows * columns + 2 * rows * queries;
  // Triangular factors besides the embeddings.
  if (rule.answers_rotate && rows >= answers) numbers += answers * answers;
  if (rule.queries_rotate && columns >= queries) numbers += queries * queries;
  numbers += std::max(work_matrices(run) * rows * columns, columns * queries);
  if (run.query.rule.reads_curvature) numbers += 6 * rows * columns + 2 * (rows * rows + columns * columns);
  const double logits = rule.reads_task ? 3 : run.needs.logit_matrices, kept = run.needs.logits ? 1 : 0;
  return 8 * (numbers + (logits + kept) * answers * queries);
}

/// Seconds of all steps of a training on column matrices. A leap takes a microsecond per margin; if a norm
/// couples all margins there are many strides.
double column_seconds(const RunSize& run) {
  const double strides = run.leaps && run.query.rule.margins(run.query.parameters).normalised ? 1e5 : 0;
  const double steps = run.leaps ? usual_single_steps + 1e2 * run.records + strides : run.steps;
  if (run.reduction.way == Way::node_columns) return steps * 1e-8 * panel_nodes(run.query.spectrum, 24);
  if (!run.experiment.sampled()) return steps * 5e-9 * run.rows;
  // With one column per class there is also one cell per class.
  return steps * (1.5e-7 * run.draws + (run.work.matrices > 0 ? 1e-8 * run.rows : 0)) +
         run.records * 2e-7 * run.rows;
}

/// Seconds on matrices. Everything but a polar factor is quadratic; a product with the Hessian costs about
/// three gradients.
double matrix_seconds(const RunSize& run) {
  const double gradients = run.query.rule.reads_curvature ? 30 : 1;
  const double polar = run.query.symmetries.keeps_wrong_ties ? 0 : 2e-10 * run.cube;
  if (!run.products)
    return precision_of(run.experiment).slowness * run.steps * gradients *
           (5e-9 * run.rows * run.rows + polar);
  const double part = run.experiment.single() ? 0.5 : 1;
  return run.steps * (gradients * part * (1e-9 + 3e-11 * run.shape.rows) * run.rows * run.rows + polar);
}

/// Rows of the square matrix with as many numbers as the rectangular one; for columns the number of pairs.
double law_rows(const AnswerLaw& law, const Reduction& reduction) {
  double answers = 0, shares = 0;
  for (const ComponentGroup& unit : law.units->groups) {
    answers += static_cast<double>(unit.answer_multiplicity.size());
    for (const QueryType& type : unit.queries) shares += static_cast<double>(type.answers.size());
  }
  const auto queries = static_cast<double>(law.queries.size());
  return reduction.engine() == Engine::columns ? (queries + shares) / 2 : std::sqrt(answers * queries);
}

double exact_rows(const EngineQuery& query, const Reduction& reduction, double) {
  if (query.experiment.sampled()) return query.spectrum.classes;
  if (query.answers()) return law_rows(*query.answers(), reduction);
  return static_cast<double>(reduction.block) * static_cast<double>(query.spectrum.groups->size());
}

/// The cost of a way: rows as in Held, `nodes` of a quadrature; peak bytes including measurements, without
/// recorded data; seconds of the steps.
struct WayCost {
  Way way;
  double (*rows)(const EngineQuery&, const Reduction&, double nodes);
  double (*bytes)(const RunSize&);
  double (*seconds)(const RunSize&);
  double taken = 1;          ///< time of single steps relative to the seconds by which ways are compared
  double beginning = 0.005;  ///< assumed startup time, so that the shortest runs use columns
};

const WayCost& cost_of(Way way) {
  static const std::vector<WayCost> all = {
      {Way::modes, exact_rows, column_bytes, column_seconds, 2.5, 0},
      {Way::columns, exact_rows, column_bytes, column_seconds, 2.5, 0},
      {Way::symmetric,
       [](const EngineQuery& query, const Reduction& reduction, double) {
         if (!query.experiment.sampled()) return exact_rows(query, reduction, 0);
         return 1 + expected_met(query.spectrum, query.experiment.label_noise, all_draws(query.experiment));
       },
       square_bytes, matrix_seconds},
      {Way::node_columns,
       [](const EngineQuery& query, const Reduction&, double nodes) {
         return panel_nodes(query.spectrum, std::max(32.0, nodes));
       },
       column_bytes, column_seconds},
      {Way::node_symmetric,
       [](const EngineQuery&, const Reduction& reduction, double nodes) {
         return static_cast<double>(reduction.block) * nodes;
       },
       square_bytes, matrix_seconds},
      {Way::dense,
       [](const EngineQuery& query, const Reduction&, double) {
         return std::sqrt(query.spectrum.classes * query.spectrum.answer_count());
       },
       dense_bytes, matrix_seconds}};
  return *std::ranges::find(all, way, &WayCost::way);
}

/// Seconds of calls and samples, which are equal for all ways. Columns count their draws themselves.
double call_seconds(const RunSize& run) {
  double step = 3e-7;
  if (!run.reduction.of_columns()) {
    const LeastSquares& squares = run.experiment.squares;
    const double normals =
        draws_normals(run.query) ? run.shape.columns + (squares.bilinear() ? run.shape.rows : 0) : 0;
    step = 1e-6 + run.draws * (1.7e-7 + 2e-8 * normals);
    if (!run.query.symmetries.keeps_wrong_ties)
      step += 8e-6 + run.slowness * run.entries * (1.6e-8 + 8e-9 * run.work.matrices);
  }
  return (run.leaps ? std::min(run.steps, usual_single_steps) : run.steps) * step;
}

/// Seconds for recording each step.
double recording_seconds(const RunSize& run) {
  double recording = 2e-6 + 1e-8 * run.rows;
  if (run.needs.singular_values)
    recording +=
        run.slowness * (run.reduction.of_columns() ? 3e-10 * run.cube : 5e-8 * run.entries + 2e-9 * run.cube);
  return run.records * recording;
}

/// Seconds of a training before its first step; embeddings are drawn once for all optimizers.
double begun_seconds(const RunSize& run) {
  const double queries = run.query.spectrum.classes, answers = run.query.spectrum.answer_count();
  const double drawn = run.products ? run.shape.rows * answers + run.shape.columns * queries : 0;
  return 2e-4 + (3e-4 + 3e-8 * drawn) / static_cast<double>(run.experiment.optimizers.size());
}

/// Seconds of passes over all logits, and of polar factors, at recorded steps.
double measured_seconds(const RunSize& run) {
  const double square = run.rows * run.rows, height = run.products ? run.shape.rows : 0;
  double seconds = 0;
  if (run.needs.expansion)
    seconds += run.reduction.of_columns() ? 2e-7 * run.rows : (1e-8 + 1.5e-11 * height) * square;
  if (run.needs.polar_factor) seconds += 5e-9 * run.cube;
  return run.records * seconds;
}

}  // namespace

WeightShape weight_shape(const Experiment& experiment, const Spectrum& spectrum) {
  const auto dimension = [](const Component& side, const FileColumns& file, double classes) {
    return file.dimension > 0 ? file.dimension : embedding_row(side.kind).dimension(side.parameters, classes);
  };
  return {dimension(experiment.answer_embedding, spectrum.answer_file, spectrum.answer_count()),
          dimension(experiment.query_embedding, spectrum.query_file, spectrum.classes)};
}

EngineCost training_cost(const EngineQuery& query, const Reduction& reduction, double nodes) {
  const WayCost& way = cost_of(reduction.way);
  const RunSize run{query, reduction, way.rows(query, reduction, nodes)};
  EngineCost cost;
  const double steps = way.seconds(run), compared = way.beginning + steps;
  cost.digits = query.experiment.digits == "on" ||
                (query.experiment.digits == "auto" &&
                 (query.symmetries.needs_gaps || rounding_repetitions * compared <= affordable_seconds));
  cost.compared = compared + measured_seconds(run);
  // The last state is observed, too.
  cost.repetition =
      (1 + 1 / std::max(1.0, run.steps)) * (run.leaps ? 1 : way.taken) * steps + call_seconds(run);
  cost.seconds = begun_seconds(run) + cost.repetition + measured_seconds(run) + recording_seconds(run);
  cost.bytes = sample_bytes(run) + way.bytes(run);
  if (cost.digits) cost.bytes += rounded_copies * (reduction.of_columns() ? 16 * run.rows : run.matrix_bytes);
  return cost;
}

RecordedBytes recorded_bytes(const Experiment& experiment, const Spectrum& spectrum,
                             const std::vector<Reduction>& reductions) {
  const double rows = row_count(experiment, spectrum);
  const double groups = spectrum.groups ? static_cast<double>(spectrum.groups->size()) : 0;
  const auto records = static_cast<double>(recorded_steps(experiment.record, experiment.steps).size());
  const double measured =
      2 + wanted_probes({experiment, 0}).needs.row_values;  // error, class_loss and those of probes
  RecordedBytes bytes{.rows = 16 * groups + 88 * rows, .measured = 8 * rows * records * measured};
  for (std::size_t o = 0; o < reductions.size(); ++o) {
    const OptimizerChoice& choice = experiment.optimizers[o];
    const bool exact = reductions[o].exact();
    if (!exact) bytes.nodes = 2 * bytes.measured;
    const auto predictions = static_cast<double>(
        applicable_predictions(prediction_input(experiment, choice, choice.step_size, spectrum)).size());
    bytes.result += 8 * records * (rows * (measured + 2 * predictions) + max_totals);
    if (predictions == 0) bytes.unpredicted += 8 * records * rows * 2;
    if (predictions > 0)
      bytes.predictions = std::max(bytes.predictions, 8 * (records + 15) * (exact ? groups : rows));
  }
  return bytes;
}

double disk_bytes(const RecordedBytes& recorded) {
  return file_bytes + recorded.result + recorded.unpredicted;
}

}  // namespace rarefact
