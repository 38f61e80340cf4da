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
#include "sim/run_size.hpp"

namespace rarefact {

double records_of(const Experiment& experiment) {
  return static_cast<double>(recorded_steps(experiment.record, experiment.steps).size());
}

double row_count(const Experiment& experiment, const Spectrum& spectrum) {
  if (experiment.classes.kind == ClassRule::Kind::all) return spectrum.classes;
  if (experiment.classes.kind == ClassRule::Kind::list)
    return static_cast<double>(experiment.classes.list.size());
  if (shows_groups(spectrum)) return static_cast<double>(spectrum.groups->size());
  return usual_panel_order * (2 + std::log2(spectrum.classes));
}

RuleWork work_of(const EngineQuery& query) {
  RuleWork work = query.work;
  if (!query.experiment.in_factors()) return work;
  work.matrices = 2 * work.matrices + 8;
  work.polar_factors *= 2;
  work.decompositions = 2 * work.decompositions + 0.5;
  work.of_gradient = 0;
  return work;
}

double distinct(const EngineQuery& query, double draws) {
  if (draws_normals(query)) return query.spectrum.classes;
  return expected_sampled(query.spectrum, query.experiment.label_noise, draws);
}

double law_pairs(const AnswerLaw& law) {
  double pairs = 0;
  for (const ComponentGroup& group : law.components->groups)
    for (const QueryType& type : group.queries) pairs += static_cast<double>(type.answers.size());
  return pairs;
}

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

double panel_nodes(const Spectrum& spectrum, double per_panel) {
  return per_panel * (std::log2(spectrum.classes) + 1);
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
  cost.bytes = training_bytes(run);
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
