#include "sim/cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "metrics/probe.hpp"
#include "model/quadrature_rule.hpp"
#include "sim/fast_forward.hpp"
#include "sim/inputs.hpp"
#include "sim/predict.hpp"
#include "sim/resolve.hpp"

namespace rarefact {

namespace {

/// Longest total time of a run's repetitions for which digits are measured by default.
constexpr double affordable_seconds = 0.3;

/// Longest run without ε for comparison.
constexpr double affordable_comparison = 30;

/// Longest total time of singular values that may be longer than the rest of the run; in long sweeps, where storing a point
/// takes as long anyway.
constexpr double affordable_spectra = 0.5, affordable_in_sweeps = 2e-3;

/// Seconds before the first step of a training.
constexpr double first_seconds = 1e-4;

/// Additional matrices of a repetition: randomly rounded logits and direction.
constexpr double rounded_copies = 2;

/// Usual number of series without rows.
constexpr double usual_totals = 20;

/// Columns of a tile of logits, at least and at most, and numbers between.
constexpr double least_tile_columns = 16, tile_columns = 128, max_tile = 1 << 23;

double records_of(const Experiment& experiment) {
  return static_cast<double>(recorded_steps(experiment.record, experiment.steps).size());
}

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

/// The work of a step. In a product each factor has a rule of its own, and the factors are multiplied.
RuleWork work_of(const EngineQuery& query) {
  RuleWork work = query.work;
  if (!query.experiment.in_factors()) return work;
  work.matrices = 2 * work.matrices + 8;
  work.polar_factors *= 2;
  work.decompositions = 2 * work.decompositions + 0.5;
  work.of_gradient = 0;
  return work;
}

/// The expected number of distinct classes in n draws. Normal queries contain all classes.
double distinct(const EngineQuery& query, double draws) {
  if (draws_normals(query)) return query.spectrum.classes;
  return expected_sampled(query.spectrum, query.experiment.label_noise, draws);
}

/// The pairs of a query type and an answer type that a law stores.
double law_pairs(const AnswerLaw& law) {
  double pairs = 0;
  for (const ComponentGroup& group : law.components->groups)
    for (const QueryType& type : group.queries) pairs += static_cast<double>(type.answers.size());
  return pairs;
}

/// The data of a training that determine its cost.
struct RunSize {
  const EngineQuery& query;
  const Reduction& reduction;
  double rows;  ///< rows of square matrices, columns of column matrices, or √(KN) in the coordinates of W
  const Experiment& experiment = query.experiment;
  bool products = reduction.way == Way::dense && !reduction.task_basis && !Sides(query).identity();
  WeightShape shape = products ? weight_shape(experiment, query.spectrum)
                      : reduction.way == Way::dense
                          ? WeightShape{query.spectrum.answer_count(), query.spectrum.classes}
                          : WeightShape{rows, rows};
  /// Of the singular value problem; without one infinite.
  double side = !reduction.exact() || (reduction.of_columns() && query.answers())
                    ? std::numeric_limits<double>::infinity()
                    : std::min(shape.rows, shape.columns);
  Needs needs = wanted_probes({experiment, side}).needs;
  /// Columns of W and of updates sum to zero, as those of gradients do, so singular values are cheap on columns.
  bool centred = query.symmetries.answers_rotate && !query.symmetries.reads_task;
  double records = records_of(experiment), steps = static_cast<double>(experiment.steps);
  double draws = draws_of(experiment.data_mode, experiment.data_parameters);
  double distinct_draws = experiment.sampled() ? distinct(query, all_draws(experiment)) : 0;
  bool leaps = why_single(query, reduction.way).empty();
  RuleWork work = work_of(query);
  /// Number of ranks that a quadrature records.
  double ranks = reduction.exact() ? 0 : row_count(experiment, query.spectrum);
  /// Number of pairs of a query and an answer that the answer law stores.
  double pairs = query.answers() && query.answers()->components ? law_pairs(*query.answers()) : 0;
  double entries = shape.rows * shape.columns;
  double matrix_bytes = precision_of(experiment).bytes * entries;
  const Precision& precision = precision_of(experiment);
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

/// Groups of columns that differ, in matrices of columns: of samples the sampled classes, and all others.
double different_columns(const RunSize& run) {
  return run.experiment.sampled() ? 1 + run.distinct_draws : run.rows;
}

double column_bytes(const RunSize& run) {
  const double columns = run.rows + run.ranks;
  const double numbers = run.experiment.loss->of_outputs ? 26 : 17;
  double bytes = 8 * columns * (numbers + 2 * run.work.matrices + (run.experiment.sampled() ? 2 : 0));
  if (run.needs.singular_values && !run.centred)
    bytes += (run.experiment.sampled() ? 64 : 40) * std::pow(different_columns(run), 2);
  return bytes;
}

/// The number of matrices: W, the gradient and those of the rule; on the dense engine also the tiles of
/// logits; for `alignment` also the population's gradient and its polar factor.
double state_matrices(const RunSize& run) {
  return 2 + (run.reduction.way == Way::dense) + (run.needs.polar_factor ? 2 : 0) + run.work.matrices;
}

/// Scratch of a polar factor or of singular values, whichever is larger.
double work_matrices(const RunSize& run) {
  if (run.work.polar_factors + run.work.decompositions > 0 || run.needs.polar_factor) return 9;
  return run.needs.singular_values ? 10 : 0;
}

/// Bytes on symmetric matrices; includes interpolation weights of a quadrature.
double square_bytes(const RunSize& run) {
  const double mixing = run.reduction.task_basis || Sides(run.query).identity() ? 0 : 2;
  const double newton = run.query.rule.reads_hessian || run.experiment.loss->of_outputs ? 6 : 0;
  return run.matrix_bytes * (state_matrices(run) + work_matrices(run) + mixing + newton) +
         8 * run.ranks * (1.5 * run.rows + 8);
}

/// Bytes of the factors of a dense W, of their gradients and states, and of UᵀU and VVᵀ.
double factor_bytes(const RunSize& run) {
  if (!run.experiment.is_product() || run.reduction.way != Way::dense) return 0;
  const double inner = inner_dimension(run.experiment, run.query.spectrum);
  return 8 * (run.work.matrices * inner * (run.shape.rows + run.shape.columns) / 2 + 6 * inner * inner);
}

/// Bytes in the coordinates of W, or on symmetric matrices.
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
  numbers += std::max(work_matrices(run) * rows * columns, columns * queries) +
             answers * std::clamp(max_tile / answers, least_tile_columns, tile_columns);
  if (run.query.rule.reads_hessian) numbers += 6 * rows * columns + 2 * (rows * rows + columns * columns);
  const double logits = rule.reads_task ? 3 : run.needs.logit_matrices, kept = run.needs.logits ? 1 : 0;
  return 8 * (numbers + (logits + kept) * answers * queries);
}

/// Seconds of all steps of a training on column matrices, and of observing the last state. A leap takes a
/// microsecond per margin; if a norm couples all margins, there are many strides. With label noise every
/// column also has the loss of its wrong answers.
double column_seconds(const RunSize& run) {
  const double strides =
      run.leaps && run.query.rule.margins_of(run.query.choice.parameters).normalised ? 1e5 : 0;
  const double leaping = usual_single_steps + 1e2 * run.records + strides,
               steps = run.leaps ? std::min(leaping, run.steps + 1) : run.steps + 1;
  if (run.experiment.sampled())
    return steps * (1e-6 + 5e-8 * run.draws + (run.work.matrices > 0 ? 1e-9 * run.rows : 0));
  const bool several = run.experiment.label_noise > 0 || run.query.answers();
  return steps * ((run.leaps ? 1e-7 : 5e-7) + (several ? 3.3e-8 : run.leaps ? 8e-9 : 1.2e-8) * run.rows);
}

/// Time of a polar factor from scratch, relative to one refined from the previous step's.
constexpr double from_scratch = 2.7;

/// Seconds of a polar factor refined from the previous step's; if columns > rows, also of the null space.
double polar_seconds(const RunSize& run, double rows, double columns) {
  return run.precision.slowness * 2.3e-8 * rows * columns +
         run.precision.product_slowness * 3e-10 * columns * columns * (rows + columns);
}

/// In how many steps polar factors are computed from scratch and not refined from the previous step's: in 50
/// digits, if a step moves logits by more than 1 or gradients are of samples, in all; else in the first, and
/// with label noise also once logits have their optimal size.
double steps_from_scratch(const RunSize& run) {
  const double steps = run.steps + run.needs.update, noise = run.experiment.label_noise,
               moved = run.query.choice.step_size.number;
  const bool far = run.query.symmetries.scale_invariant && moved > 1;
  if (!run.precision.underflows || run.experiment.sampled() || far) return steps;
  if (noise == 0) return 1;
  const double optimum = std::log(run.query.spectrum.classes * (1 - noise) / noise);
  return std::fmax(1, steps - optimum / moved);
}

/// By how many seconds a repetition is longer, which computes every polar factor from scratch.
double afresh_seconds(const RunSize& run) {
  return (from_scratch - 1) * (run.steps + run.needs.update - steps_from_scratch(run)) *
         run.work.polar_factors * polar_seconds(run, run.shape.rows, run.shape.columns);
}

/// Seconds of the decompositions of all steps. The gradient of a sample has `drawn` nonzero columns; sums of
/// gradients grow with t (0.63³ is 1/4, the mean of (t/T)³).
double decomposition_seconds(const RunSize& run, double drawn) {
  const auto& [matrices, polar_factors, decompositions, of_gradient] = run.work;
  const auto [rows, columns] = run.shape;
  const bool sampled = run.experiment.sampled();
  const double steps = run.steps + run.needs.update,
               polars = steps + (from_scratch - 1) * steps_from_scratch(run),
               factors = polars * polar_factors + steps * decompositions;
  if (!sampled || run.products || factors == 0) return factors * polar_seconds(run, rows, columns);
  const double whole = run.reduction.way == Way::dense ? 1e-8 * run.entries : 0;
  double seconds = of_gradient * (whole + polar_seconds(run, drawn, drawn));
  if (of_gradient < 1) {
    const double part = 0.63 * all_draws(run.experiment),
                 grown = distinct(run.query, part) / run.distinct_draws;
    seconds += (1 - of_gradient) * polar_seconds(run, grown * rows, grown * columns);
  }
  return factors * seconds;
}

/// Seconds of the products with the embeddings for a column of logits and of the gradient, in the cheaper
/// order.
double product_seconds(const RunSize& run) {
  if (!run.products) return 0;
  const double queries = run.query.spectrum.classes, answers = run.query.spectrum.answer_count();
  const auto [rows, columns] = run.shape;
  return 9e-11 * std::min(rows * (columns + answers), answers * columns * (1 + rows / queries));
}

/// Seconds of a column of logits, and of the gradient.
double logit_seconds(const RunSize& run) {
  const double rows = run.reduction.way == Way::dense ? run.query.spectrum.answer_count() : run.rows;
  return run.precision.slowness * (1.4e-7 + 6e-9 * rows + product_seconds(run)) *
         (run.products && run.experiment.single() ? 0.5 : 1);
}

/// Seconds of all steps on matrices: columns of logits, of the gradient and of W, and decompositions; and of
/// observing the population if steps do not. A product with the Hessian takes about three gradients, and a
/// solve about three products.
double matrix_seconds(const RunSize& run) {
  const double all = run.reduction.way == Way::dense ? run.query.spectrum.classes : run.rows,
               columns = run.experiment.sampled() ? std::min(all, distinct(run.query, run.draws)) : all,
               observed = (run.experiment.sampled() ? run.records : 1) * all,
               gradients = run.query.rule.reads_hessian ? 10 : 1,
               w = run.precision.slowness * 8e-10 * (2 + run.work.matrices) * run.entries;
  return (gradients * run.steps * columns + observed) * logit_seconds(run) + run.steps * (6e-6 + w) +
         decomposition_seconds(run, columns);
}

/// Rows of a square matrix with as many numbers as the rectangular one; for columns the number of pairs.
double law_rows(const AnswerLaw& law, const Reduction& reduction) {
  double answers = 0;
  for (const ComponentGroup& group : law.components->groups)
    answers += static_cast<double>(group.answer_multiplicity.size());
  const auto queries = static_cast<double>(law.queries.size());
  return reduction.way == Way::columns ? (queries + law_pairs(law)) / 2 : std::sqrt(answers * queries);
}

/// RunSize::rows of a training; `nodes` of a quadrature.
double rows_of(const EngineQuery& query, const Reduction& reduction, double nodes) {
  const Experiment& experiment = query.experiment;
  const Spectrum& spectrum = query.spectrum;
  if (reduction.way == Way::node_columns) {
    if (!query.by_signs() || query.alike()->uniform()) return panel_nodes(spectrum, nodes / 2);
    const StepSize& size = query.choice.search ? query.choice.search->low : query.choice.step_size;
    return query.walked_shares(step_size_value(size, query.choice, experiment, spectrum)) +
           panel_nodes(spectrum, nodes / 2);
  }
  if (reduction.way == Way::node_symmetric) return nodes;
  if (reduction.way == Way::dense) return std::sqrt(spectrum.classes * spectrum.answer_count());
  if (experiment.sampled())
    return reduction.way == Way::symmetric
               ? 1 + expected_sampled(spectrum, experiment.label_noise, all_draws(experiment))
               : spectrum.classes;
  if (reduction.way == Way::columns && query.by_signs()) return query.answers()->answers() / 2;
  if (query.answers() && reduction.way != Way::modes) return law_rows(*query.answers(), reduction);
  return static_cast<double>(reduction.block) * static_cast<double>(spectrum.groups->size());
}

/// Seconds of the draws of samples on matrices; column_seconds includes its own.
double draw_seconds(const RunSize& run) {
  if (run.reduction.of_columns()) return 0;
  const double normals = draws_normals(run.query)
                             ? run.shape.columns + (run.experiment.squares.bilinear() ? run.shape.rows : 0)
                             : 0;
  return run.steps * run.draws * (2e-7 + 3e-8 * normals);
}

/// Seconds of all steps, without what is recorded.
double step_seconds(const RunSize& run) {
  return (run.reduction.of_columns() ? column_seconds(run) : matrix_seconds(run)) + draw_seconds(run);
}

/// Seconds for recording losses and errors: the rows of the result, and the excess losses of noisy answers, of
/// which each logit has its part.
double loss_seconds(const RunSize& run) {
  const bool noisy = run.experiment.label_noise > 0 && !run.reduction.of_columns();
  return run.records * (9e-6 + (run.reduction.of_columns() ? 5e-8 * run.rows : 0) +
                        run.precision.slowness * 1.5e-7 * row_count(run.experiment, run.query.spectrum) +
                        (noisy ? run.precision.product_slowness * 1.4e-8 * run.entries : 0));
}

/// Seconds for recording singular values of W, of the update and of its matrix, and their logits. However small the
/// matrices are, some twenty measures are stored.
double spectral_seconds(const RunSize& run) {
  if (!run.needs.singular_values) return 0;
  constexpr double stored = 1.8e-5;
  if (run.reduction.of_columns()) {
    const double columns = different_columns(run);
    return run.records * (stored + columns * columns * (run.centred ? 1e-8 : 8e-8 + 8e-10 * columns));
  }
  const double logits =
      run.products
          ? run.query.spectrum.classes * (1e-9 * run.query.spectrum.answer_count() + product_seconds(run) / 2)
          : 0;
  // Both factors of W need polar factors from scratch, which then multiply them.
  double roots = 0;
  if (run.experiment.in_factors()) {
    const double inner =
        run.reduction.way == Way::dense ? inner_dimension(run.experiment, run.query.spectrum) : run.rows;
    for (const double outer : {run.shape.rows, run.shape.columns})
      roots += 2 * from_scratch * polar_seconds(run, std::max(inner, outer), std::min(inner, outer)) +
               3e-10 * inner * inner * outer;
  }
  return run.records * (stored + run.precision.slowness * (6e-6 + 1.5e-6 * run.side) +
                        2 * polar_seconds(run, run.side, run.side) + 2 * logits + roots);
}

/// Seconds for recording what other probes measure: polar factors from scratch, passes over all logits, noisy queries.
double probe_seconds(const RunSize& run) {
  const bool columns = run.reduction.of_columns();
  const double height = run.products ? run.shape.rows : 0;
  double recording = 0;
  if (run.needs.polar_factor)
    recording += from_scratch * polar_seconds(run, run.shape.rows, run.shape.columns);
  if (run.needs.expansion)
    recording += columns ? 4e-7 * run.rows : (2e-8 + 4e-11 * height) * run.rows * run.rows;
  if (run.experiment.test_noise > 0) {
    const auto draws = static_cast<double>(run.experiment.test_draws);
    // The integral is predicted as well.
    recording += draws > 0 ? 5e-10 * draws * run.rows * run.rows : 1e-4 * run.rows;
  }
  return run.records * recording;
}

/// Seconds before the first training of an optimizer: groups are computed, and embeddings drawn and made
/// triangular, once for all.
double begun_seconds(const RunSize& run) {
  const Spectrum& spectrum = run.query.spectrum;
  const auto embedding = [](double dimension, double classes) {
    return dimension * classes * (3e-8 + 5e-11 * std::min(dimension, classes));
  };
  double seconds = 5e-4 + (spectrum.groups ? 2e-7 * static_cast<double>(spectrum.groups->size()) : 0);
  seconds += (run.reduction.of_columns() ? 1.2e-6 : 2e-6) * run.pairs;
  if (run.products)
    seconds +=
        embedding(run.shape.rows, spectrum.answer_count()) + embedding(run.shape.columns, spectrum.classes);
  return seconds / static_cast<double>(run.experiment.optimizers.size());
}

}  // namespace

double inner_dimension(const Experiment& experiment, const Spectrum& spectrum) {
  if (experiment.train_gains) return weight_shape(experiment, spectrum).columns;
  return experiment.inner ? static_cast<double>(*experiment.inner) : spectrum.answer_count();
}

WeightShape weight_shape(const Experiment& experiment, const Spectrum& spectrum) {
  const auto dimension = [](const ChosenRow& side, const FileColumns& file, double classes) {
    return file.dimension > 0 ? file.dimension : embedding_row(side.kind).dimension(side.parameters, classes);
  };
  return {dimension(experiment.answer_embedding, spectrum.answer_file, spectrum.answer_count()),
          dimension(experiment.query_embedding, spectrum.query_file, spectrum.classes)};
}

bool is_thin(const EngineQuery& query, const Reduction& reduction) {
  constexpr double short_side = 4;
  const WeightShape shape = weight_shape(query.experiment, query.spectrum);
  double side = std::min(shape.rows, shape.columns);
  if (query.experiment.is_product()) side = std::min(side, inner_dimension(query.experiment, query.spectrum));
  return reduction.way == Way::dense && side <= short_side;
}

EngineCost training_cost(const EngineQuery& query, const Reduction& reduction, double nodes) {
  const bool columns = reduction.of_columns();
  RunSize run{query, reduction, rows_of(query, reduction, nodes)};
  RunSize without = run;
  without.needs = wanted_probes({query.experiment}).needs;
  EngineCost cost;
  const double steps = step_seconds(without), recording = loss_seconds(run),
               others = steps + recording + probe_seconds(without);
  cost.repetition = steps + afresh_seconds(without) + recording;
  const std::string& digits = query.experiment.digits;
  const bool affordable = rounding_repetitions * steps <= affordable_seconds,
             gaps = query.symmetries.needs_gaps;
  cost.may_repeat = digits == "on" || (digits != "off" && (gaps || affordable));
  cost.digits = cost.may_repeat && (digits != "noted" || gaps);
  cost.compares_epsilon = digits != "noted" && !epsilon_key(query.choice.parameters).empty() &&
                          cost.repetition <= affordable_comparison;
  cost.begun = begun_seconds(run);
  const double begun = first_seconds + cost.begun,
               all = step_seconds(run) + recording + probe_seconds(run) + spectral_seconds(run),
               repetitions = cost.may_repeat ? usual_repetitions * cost.repetition : 0;
  const std::string& spectra = query.experiment.spectral_metrics;
  cost.spectra = spectra == "on" ||
                 all - others <= (spectra == "cheap" ? std::max(begun + others, affordable_in_sweeps)
                                                     : std::max(others + repetitions, affordable_spectra));
  if (!cost.spectra) run.needs = without.needs;
  cost.seconds = first_seconds + (cost.spectra ? all : others);
  // The law in several orders: as it is read, by types, and as each column has it.
  cost.bytes = (columns ? 85 : 195) * run.pairs + sample_bytes(run) +
               (columns ? column_bytes(run) : dense_bytes(run) + factor_bytes(run));
  if (cost.may_repeat) cost.bytes += rounded_copies * (columns ? 16 * run.rows : run.matrix_bytes);
  return cost;
}

std::string epsilon_key(const ParameterValues& parameters) {
  for (const std::string key : {"epsilon", "param.epsilon", "param.eps"})
    if (parameters.has(key) && parameters.number(key) > 0) return key;
  return {};
}

RecordedBytes recorded_bytes(const Experiment& experiment, const Spectrum& spectrum,
                             const std::vector<Reduction>& reductions) {
  const double rows = row_count(experiment, spectrum), records = records_of(experiment);
  const double groups = spectrum.groups ? static_cast<double>(spectrum.groups->size()) : 0;
  const double measured =
      2 + wanted_probes({experiment, 0}).needs.row_values +  // error, class_loss and those of probes
      static_cast<double>(experiment.top.size());
  RecordedBytes bytes{.rows = 60 * groups + 88 * rows, .measured = 8 * rows * records * measured};
  std::set<const PredictionRow*> predictions;
  for (std::size_t o = 0; o < reductions.size(); ++o) {
    const OptimizerChoice& choice = experiment.optimizers[o];
    const bool exact = reductions[o].exact();
    if (!exact) bytes.nodes = 2 * bytes.measured;
    const auto applicable =
        applicable_predictions(prediction_input(experiment, choice, choice.step_size.number, spectrum));
    predictions.insert(applicable.begin(), applicable.end());
    // Two numbers of a class at every record, its margin and the rest, and some that do not change; a mode has more.
    const double numbers = 2 * records + (experiment.loss->of_outputs ? 42 : 18);
    if (!applicable.empty())
      bytes.predictions = std::max(bytes.predictions, 8 * numbers * (exact ? groups : rows));
  }
  // Of every optimizer a file has the series of all; of an answer also its error and loss.
  const auto series = measured + 2.0 * static_cast<double>(predictions.size()) + (spectrum.answers ? 2 : 0);
  bytes.result = 8 * records * static_cast<double>(reductions.size()) * (rows * series + usual_totals);
  return bytes;
}

std::string bytes_text(double bytes) {
  if (!(bytes < 1e30)) return "more than 1e30 B";
  const char* units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  int unit = 0;
  for (; bytes >= 1000 && unit < 5; ++unit) bytes /= 1000;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

}  // namespace rarefact
