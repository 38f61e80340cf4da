#include "sim/cost.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "experiment/precision.hpp"
#include "metrics/probe.hpp"
#include "model/embedding.hpp"
#include "model/met_classes.hpp"
#include "model/quadrature_rule.hpp"
#include "model/sampler.hpp"
#include "sim/fast_forward.hpp"
#include "sim/inputs.hpp"
#include "sim/predict.hpp"

namespace rarefact {

namespace {

/// A result is encoded, and read back before it counts, beside itself; in numbers of the size of its series.
constexpr double writing = 4;

/// What all repetitions of a run may take for digits to be measured unasked.
constexpr double affordable_seconds = 0.1;

/// Matrices of a repetition beside those of a run: logits and a direction that were rounded at random.
constexpr double rounded_copies = 2;

/// Series of a run that are not of its rows.
constexpr double most_totals = 50;

/// Bytes of a file beside its series: names, texts, classes.
constexpr double file_bytes = 2e5;

/// Of what is measured, where the singular value problem has so many rows.
Needs measuring(const Experiment& experiment, double rows) {
  return wanted_probes({experiment, rows}).needs;
}

/// The draws of a sample, and the pairs of queries and answers that they are counted in.
double sample_bytes(const EngineCase& asked) {
  const Experiment& experiment = asked.experiment;
  const double draws = draws_of(experiment.data_mode, experiment.data_parameters),
               queries = asked.spectrum.classes;
  const double pairs = experiment.label_noise > 0 ? queries * asked.spectrum.answer_count()
                       : asked.answers()          ? draws
                                                  : queries;
  return 8 * draws + 60 * std::min(draws, pairs);
}

double column_bytes(const EngineCase& asked, double columns) {
  const Experiment& experiment = asked.experiment;
  const double formula = 2 * asked.symmetries.matrices;
  const double remembered = formula > 0 ? formula : asked.rule.parameters.empty() ? 0 : 2;
  const double numbers = 17 + remembered + (experiment.sampled() ? 2 : 0);
  double bytes = 8 * columns * numbers;
  if (measuring(experiment, columns).singular_values) {
    // Through matrices: of all columns, and of those that are not zero.
    const double drawn = experiment.sampled() ? static_cast<double>(experiment.steps) *
                                                    draws_of(experiment.data_mode, experiment.data_parameters)
                                              : columns;
    bytes += 8 * (4 * columns * columns + 3 * std::pow(std::min(columns, drawn), 2));
  }
  return bytes;
}

/// W, gradient, direction and what the rule remembers, in matrices of their size.
double state_matrices(const EngineCase& asked) {
  if (asked.symmetries.matrices > 0) return 3 + asked.symmetries.matrices;
  return asked.rule.parameters.empty() ? 3 : 4.5;
}

/// The population's gradient and its polar factor, beside those of the update.
constexpr double polar_matrices = 2;

/// The work space of a polar factor or of singular values, whichever is larger.
double work_matrices(const EngineCase& asked, double rows) {
  const Needs needs = measuring(asked.experiment, rows);
  if (!asked.symmetries.keeps_columns || needs.polar_factor) return 13;
  return needs.singular_values ? 10 : 0;
}

bool identity(const Experiment& experiment) {
  return embedding_row(experiment.query_embedding.kind).identity &&
         embedding_row(experiment.answer_embedding.kind).identity;
}

double square_bytes(const EngineCase& asked, const Reduction& reduction, double rows) {
  const double mixing = reduction.task_basis || identity(asked.experiment) ? 0 : 4;
  const double newton = asked.rule.reads_curvature || asked.experiment.least_squares() ? 6 : 0;
  const double aligned = measuring(asked.experiment, rows).polar_factor ? polar_matrices : 0;
  return precision_of(asked.experiment).bytes * rows * rows *
         (state_matrices(asked) + work_matrices(asked, rows) + mixing + newton + aligned);
}

/// Dense, in the coordinates of W.
double ambient_bytes(const EngineCase& asked) {
  const Experiment& experiment = asked.experiment;
  const double queries = asked.spectrum.classes, answers = asked.spectrum.answer_count();
  const auto [rows, columns] = weight_shape(experiment, asked.spectrum);
  const double embeddings = rows * answers + columns * queries;
  double numbers = state_matrices(asked) * rows * columns + 3 * rows * queries + embeddings;
  // Second moment, minimiser, and what is made of them.
  if (experiment.least_squares()) numbers += 3 * columns * columns + 3 * rows * columns + 2 * rows * queries;
  // Triangular factors beside them.
  if (asked.symmetries.answers_rotate && rows >= answers) numbers += answers * answers;
  if (asked.symmetries.queries_rotate && columns >= queries) numbers += queries * queries;
  numbers += std::max(work_matrices(asked, std::min(rows, columns)) * rows * columns, columns * queries);
  const Needs needs = measuring(experiment, std::min(rows, columns));
  if (needs.polar_factor) numbers += polar_matrices * rows * columns;
  if (asked.rule.reads_curvature) numbers += 6 * rows * columns + 2 * (rows * rows + columns * columns);
  const double logits = asked.symmetries.reads_task ? 3 : needs.logit_matrices, kept = needs.logits ? 1 : 0;
  return 8 * (numbers + (logits + kept) * answers * queries);
}

/// Of passes over all logits at recorded steps; as for the steps.
double expansion_seconds(const EngineCase& asked, const Reduction& reduction, double rows) {
  const Experiment& experiment = asked.experiment;
  if (!measuring(experiment, rows).expansion) return 0;
  const auto records = static_cast<double>(recorded_steps(experiment.record, experiment.steps).size());
  if (reduction.of_columns()) return records * 2e-7 * rows;
  const bool products = reduction.engine() == Engine::dense && !reduction.task_basis && !identity(experiment);
  const double height = products ? weight_shape(experiment, asked.spectrum).rows : 0;
  return records * (1e-8 + 1.5e-11 * height) * rows * rows;
}

/// Of the polar factor of the population's gradient, from scratch at every recorded step; as for the steps.
double polar_seconds(const EngineCase& asked, const Reduction& reduction, double rows) {
  const Experiment& experiment = asked.experiment;
  if (!measuring(experiment, rows).polar_factor) return 0;
  const auto records = static_cast<double>(recorded_steps(experiment.record, experiment.steps).size());
  if (reduction.engine() != Engine::dense || reduction.task_basis || identity(experiment))
    return records * 1e-9 * rows * rows * rows;
  const auto [d_out, d_in] = weight_shape(experiment, asked.spectrum);
  return records * 1e-9 * d_out * d_in * std::min(d_out, d_in);
}

/// Of so many nodes a panel.
double panel_nodes(const Spectrum& spectrum, double each) {
  return each * (std::log2(spectrum.classes) + 1);
}

/// About how many rows a result shows.
double rows_of(const Experiment& experiment, const Spectrum& spectrum, bool any_exact) {
  if (experiment.classes.kind == ClassRule::Kind::all) return spectrum.classes;
  if (experiment.classes.kind == ClassRule::Kind::list)
    return static_cast<double>(experiment.classes.list.size());
  if (any_exact && spectrum.groups) return static_cast<double>(spectrum.groups->size());
  return usual_panel_order * (2 + std::log2(spectrum.classes));
}

/// Of a training, what is measured of it included: the most at a time, without what is recorded.
double training_bytes(const EngineCase& asked, const Reduction& reduction, double rows) {
  const double bytes = asked.experiment.sampled() ? sample_bytes(asked) : 0;
  const bool quadrature = !reduction.exact();
  const double ranks = quadrature ? rows_of(asked.experiment, asked.spectrum, false) : 0;
  if (reduction.of_columns()) return bytes + column_bytes(asked, rows + ranks);
  // Ranks of a quadrature are interpolated between its rows.
  if (reduction.engine() != Engine::dense || reduction.task_basis || identity(asked.experiment))
    return bytes + square_bytes(asked, reduction, rows) + 8 * ranks * (1.5 * rows + 8);
  return bytes + ambient_bytes(asked);
}

/// Of one matrix in the coordinates of W.
double square_of(const EngineCase& asked, const Reduction& reduction, double rows) {
  if (reduction.engine() != Engine::dense || reduction.task_basis || identity(asked.experiment))
    return precision_of(asked.experiment).bytes * rows * rows;
  const auto [d_out, d_in] = weight_shape(asked.experiment, asked.spectrum);
  return 8 * d_out * d_in;
}

/// Of rectangles, the square of as many numbers; of columns, pairs of numbers.
double law_rows(const AnswerLaw& law, const Reduction& reduction) {
  double answers = 0, shares = 0;
  for (const UnitGroup& unit : law.units->groups) {
    answers += static_cast<double>(unit.answer_twins.size());
    for (const QueryType& type : unit.queries) shares += static_cast<double>(type.answers.size());
  }
  const auto queries = static_cast<double>(law.queries.size());
  return reduction.engine() == Engine::columns ? (queries + shares) / 2 : std::sqrt(answers * queries);
}

/// Columns of column matrices, rows of square ones.
double held_rows(const EngineCase& asked, const Reduction& reduction, double nodes) {
  const double classes = asked.spectrum.classes, block = static_cast<double>(reduction.block);
  if (reduction.way == Way::node_columns) return panel_nodes(asked.spectrum, std::max(32.0, nodes));
  if (reduction.way == Way::node_symmetric) return block * nodes;
  if (reduction.engine() == Engine::dense) return std::sqrt(classes * asked.spectrum.answer_count());
  if (asked.experiment.sampled() && reduction.engine() == Engine::symmetric)
    return 1 + expected_met(asked.spectrum, asked.experiment.label_noise, all_draws(asked.experiment));
  if (asked.experiment.sampled()) return classes;
  if (asked.answers()) return law_rows(*asked.answers(), reduction);
  return block * static_cast<double>(asked.spectrum.groups->size());
}

/// Of all steps of a training on column matrices. A leap takes a margin a microsecond, and where the norm of
/// all couples them there are many strides.
double column_seconds(const EngineCase& asked, const Reduction& reduction, double columns) {
  const Experiment& experiment = asked.experiment;
  const bool leaps = why_single(asked, reduction.way).empty();
  const double leap =
      leaps ? 1e2 * static_cast<double>(recorded_steps(experiment.record, experiment.steps).size()) : 0;
  const double strides = leaps && asked.rule.margins(asked.parameters).normalised ? 1e5 : 0;
  const double steps = leaps ? usual_single_steps + leap + strides : static_cast<double>(experiment.steps);
  if (reduction.way == Way::node_columns) return 0.005 + steps * 1e-8 * panel_nodes(asked.spectrum, 24);
  if (!experiment.sampled()) return steps * 5e-9 * columns;
  const double remembered = asked.rule.parameters.empty() ? 0 : 1e-8 * columns;
  const auto records = static_cast<double>(recorded_steps(experiment.record, experiment.steps).size());
  const double draws = draws_of(experiment.data_mode, experiment.data_parameters);
  // One column a class makes one cell a class as well.
  return steps * (1.5e-7 * draws + remembered) + records * 2e-7 * columns;
}

/// Of square matrices, or dense in the coordinates of W. Everything but a polar factor is quadratic; a product with
/// the Hessian costs some three gradients.
double matrix_seconds(const EngineCase& asked, const Reduction& reduction, double rows) {
  const bool cubic = !asked.symmetries.keeps_columns;
  const double gradients = asked.rule.reads_curvature ? 30 : 1;
  const auto steps = static_cast<double>(asked.experiment.steps);
  if (reduction.engine() != Engine::dense || reduction.task_basis || identity(asked.experiment)) {
    const double exact = precision_of(asked.experiment).slowness;
    return 0.005 +
           exact * steps * gradients * (5e-9 * rows * rows + (cubic ? 2e-10 * rows * rows * rows : 0));
  }
  const auto [d_out, d_in] = weight_shape(asked.experiment, asked.spectrum);
  const double polar = cubic ? 2e-10 * d_out * d_in * std::min(d_out, d_in) : 0;
  const double part = asked.experiment.single() ? 0.5 : 1;
  return 0.005 + steps * (gradients * part * (1e-9 + 3e-11 * d_out) * (rows * rows) + polar);
}

}  // namespace

WeightShape weight_shape(const Experiment& experiment, const Spectrum& spectrum) {
  const auto dimension = [](const Component& side, const FileColumns& file, double classes) {
    return file.dimension > 0 ? file.dimension : embedding_row(side.kind).dimension(side.parameters, classes);
  };
  return {dimension(experiment.answer_embedding, spectrum.answer_file, spectrum.answer_count()),
          dimension(experiment.query_embedding, spectrum.query_file, spectrum.classes)};
}

EngineCost training_cost(const EngineCase& asked, const Reduction& reduction, double nodes) {
  const bool columns = reduction.of_columns();
  const double rows = held_rows(asked, reduction, nodes);
  EngineCost cost;
  cost.seconds = columns ? column_seconds(asked, reduction, rows) : matrix_seconds(asked, reduction, rows);
  const std::string& digits = asked.experiment.digits;
  cost.digits = digits == "on" ||
                (digits == "auto" &&
                 (asked.symmetries.needs_gaps || rounding_repetitions * cost.seconds <= affordable_seconds));
  cost.seconds += expansion_seconds(asked, reduction, rows) +
                  polar_seconds(asked, reduction, rows);  // not by repetitions
  cost.bytes = training_bytes(asked, reduction, rows);
  if (cost.digits) cost.bytes += rounded_copies * (columns ? 16 * rows : square_of(asked, reduction, rows));
  return cost;
}

RecordedBytes recorded_bytes(const Experiment& experiment, const Spectrum& spectrum, bool any_exact) {
  const double rows = rows_of(experiment, spectrum, any_exact);
  const double groups = spectrum.groups ? static_cast<double>(spectrum.groups->size()) : 0;
  const auto records = static_cast<double>(recorded_steps(experiment.record, experiment.steps).size());
  const double measured = 2 + measuring(experiment, 0).row_values;  // error, class_loss and those of probes
  RecordedBytes bytes{.rows = 16 * groups + 88 * rows, .measured = 8 * rows * records * measured};
  if (!any_exact) bytes.nodes = 2 * bytes.measured;
  for (const OptimizerChoice& choice : experiment.optimizers) {
    const auto predictions = static_cast<double>(
        applicable_predictions(prediction_input(experiment, choice, choice.step_size, spectrum)).size());
    // Predicted errors and losses have their place in a result even where none applies.
    bytes.result += 8 * records * (rows * (measured + 2 * std::max(1.0, predictions)) + most_totals);
    if (predictions > 0) bytes.predictions = 8 * (records + 15) * (any_exact ? groups : rows);
  }
  return bytes;
}

double disk_bytes(const RecordedBytes& recorded) {
  return file_bytes + recorded.result;
}

double peak_bytes(std::vector<double> trainings, double runs, int repetitions, const RecordedBytes& recorded,
                  int threads) {
  const double optimizers = static_cast<double>(trainings.size());
  const double at_once = std::min<double>(threads, runs);
  // Of each optimizer one run is kept, and of a search those that are under way.
  const double kept = optimizers + std::max(runs > optimizers ? at_once : 0, at_once * repetitions);
  std::sort(trainings.rbegin(), trainings.rend());
  trainings.resize(static_cast<std::size_t>(at_once), trainings.front());
  const double training = std::accumulate(trainings.begin(), trainings.end(), 0.0);
  return recorded.rows + std::max({training + kept * recorded.measured + at_once * recorded.nodes,
                                   recorded.result + std::min(at_once, optimizers) * recorded.predictions,
                                   writing * recorded.result});
}

}  // namespace rarefact
