#include "sim/predict.hpp"

#include <algorithm>

#include "experiment/step_sizes.hpp"
#include "metrics/metric.hpp"
#include "model/answer_law.hpp"
#include "model/embedding.hpp"
#include "model/log_odds.hpp"
#include "model/margin.hpp"
#include "sim/comparison.hpp"
#include "sim/cost.hpp"
#include "sim/robust.hpp"
#include "theory/modes.hpp"

namespace rarefact {

PredictedClasses predicted_groups(const ClassGroups& groups, const ClassRows& rows) {
  std::vector<Cell> cells;
  for (std::size_t g = 0; g < groups.size(); ++g)
    cells.push_back({static_cast<Index>(g), 0, groups.count[g], groups.probability[g]});
  return {groups, CellsToRows(cells, rows)};
}

PredictedClasses predicted_classes(const ClassGroups& groups, const ClassRows& rows) {
  std::vector<Cell> cells;
  for (const Index g : groups.group_of_each()) cells.push_back({g, 0, 1, groups.probability[g]});
  return {{std::vector<double>(cells.size(), 1), mapped(cells, &Cell::probability)},
          CellsToRows(cells, rows)};
}

PredictedClasses predicted_nodes(const Spectrum& spectrum, const ClassRows& rows, int panel_order) {
  const SmoothLaw& law = *spectrum.law;
  const QuadratureRule nodes = panel_rule(law.classes, panel_order);
  const double total = weight_of_ranks(law, law.classes);
  PredictedClasses classes{{}, CellsToRows(nodes.size(), rows)};
  const auto add = [&](double rank, double count) {
    classes.groups.count.push_back(count);
    classes.groups.probability.push_back(law.probability(rank, total));
    if (spectrum.answers) classes.answers.push_back({.right = 1, .queries = law.queries(rank)});
  };
  for (std::size_t i = 0; i < nodes.size(); ++i)
    add(nodes.rank[i], nodes.count[i] * law.queries(nodes.rank[i]));
  for (const double rank : rows.ranks()) add(rank, 0);
  return classes;
}

/// Converts the margins of a group to its metrics. Lambdas of predict() hold it, so it is not in the unnamed namespace.
template <class Real>
struct MarginScale {
  Real total;  ///< K/R
  Real least;  ///< least loss: that of K/R classes plus ln R
};

namespace {

/// Adds the answers of every query type, most likely first; of one answer if fan-ins are not written out.
void add_answers(const AnswerLaw& law, PredictionInput& input) {
  if (!law.components) {
    input.answers.push_back({.right = 1, .queries = law.law ? law.law->queries(1) : 1});
    input.equal_answers = law.law.has_value();
    return;
  }
  for (const auto& [component, query, number, first_answer] : query_types(*law.components)) {
    double right = 0;
    for (const AnswerShare& share : query.answers) {
      right += component.answer_multiplicity[share.type];
      input.equal_answers =
          input.equal_answers && share.right && share.probability == query.answers.front().probability;
    }
    input.equal_answers = input.equal_answers && right < input.class_total;
    input.alike_components &= component.queries.size() == 1 && component.answer_multiplicity.size() == 1;
    input.answers.push_back({right, query.multiplicity});
  }
}

/// ρ of an embedding with EᵀE = (1-ρ) I + ρ 11ᵀ, 0 if it is orthonormal; nullopt of others.
std::optional<double> cosine(const EmbeddingRow& row, const ChosenRow& side) {
  const auto is_zero = [&](const std::string& name) {
    return !name.empty() && side.parameters.number(name) == 0;
  };
  if (row.orthonormal || is_zero(row.orthonormal_at_zero)) return 0;
  return row.equicorrelated ? std::optional(side.parameters.number("rho")) : std::nullopt;
}

/// True if the columns of an embedding are known to be linearly independent.
bool independent(const EmbeddingRow& row, const ChosenRow& side, double columns) {
  return !row.given && !row.attributes && row.dimension(side.parameters, columns) >= columns;
}

template <class Real>
std::vector<MarginScale<Real>> margin_scales(const PredictionInput& input) {
  using std::log;
  std::vector<MarginScale<Real>> scales;
  const Real noise = input.label_noise;
  for (const Real& total : answers_for_each_right<Real>(input))
    scales.push_back({total, irreducible_loss<Real>(total, noise)});
  for (std::size_t g = 0; g < input.answers.size(); ++g) scales[g].least += log(Real(input.answers[g].right));
  return scales;
}

/// L* of the population.
template <class Real>
Real least_loss(const PredictionInput& input, const std::vector<MarginScale<Real>>& scales) {
  if (input.answers.empty()) return scales.front().least;
  Real sum(0);
  for (std::size_t g = 0; g < scales.size(); ++g)
    sum += Real(input.class_count[g]) * Real(input.class_probability[g]) * scales[g].least;
  return sum;
}

/// The metrics of groups at these coefficients; returns the excess loss.
template <class Real>
Real see_squares(const PredictedMargin<Real>* numbers, const PredictionInput& input, const SquareModes& modes,
                 ClassStats<Real>& seen) {
  const LeastSquares& data = *input.squares;
  Real excess(0), norm(0);
  for (std::size_t g = 0; g < seen.coefficient.size(); ++g) {
    const auto& [w, off] = numbers[g];
    // 1 - μ a is the variance of the query's noise over the curvature.
    const Real part = data.query_noise * data.query_noise / modes.curvature[g] + data.query_scale * off;
    seen.coefficient[g] = w;
    seen.excess_loss[g] = (data.gaussian() ? off * off : part * part) / 2;
    const Real left = off + modes.apart[g];
    excess += input.class_count[g] * modes.weight[g] * left * left / 2;
    norm += input.class_count[g] * w * w;
  }
  if (!data.gaussian())
    for (Real& loss : seen.excess_loss) loss += data.query_noise * data.query_noise * norm / 2;
  return excess;
}

/// L*: the remaining variance of the answers at a = μp/h, of measures.
double squares_floor(const PredictionInput& input, const SquareModes& modes) {
  double sum = input.squares_noise;
  if (input.squares->gaussian()) return sum;
  const double variance = input.squares->query_noise * input.squares->query_noise;
  for (std::size_t g = 0; g < modes.curvature.size(); ++g)
    sum += input.class_count[g] * input.class_probability[g] * variance / modes.weight[g] / 2;
  return sum;
}

/// The empty series of a prediction of a metric.
std::vector<double>& series_of(const std::string& metric, const PredictionRow& row, Trajectory& trajectory) {
  std::vector<double>& series = trajectory.series[metric + prediction_suffix(row)];
  series.clear();
  return series;
}

/// The predicted sharpness, if it has a closed form.
template <class Real>
void predict_sharpness(const PredictionRow& row, const PredictionInput& input, const MarginsOf<Real>& margins,
                       Trajectory& trajectory) {
  if (!row.sharpness.in<Real>() || !input.answers.empty()) return;
  std::vector<double>& series = series_of("nds", row, trajectory);
  const std::size_t groups = input.class_count.size();
  const auto sharpness = row.sharpness.in<Real>();
  for (std::size_t at = 0; at < margins.size(); at += groups)
    series.push_back(static_cast<double>(
        Real(contrast<Real>(input) * sharpness(input, std::span(margins).subspan(at, groups)))));
}

/// Accuracies for noisy test queries, where logits of a column are a margin and one number for all others.
template <class Real>
void predict_robust(const PredictionRow& row, const PredictionInput& input, const PredictedClasses& classes,
                    const MarginsOf<Real>& margins, Trajectory& trajectory) {
  if (margins.empty() || !input.orthonormal || !input.answers.empty()) return;
  std::vector<double>&of_rows = series_of("robust_top1", row, trajectory),
  &total = series_of("total_robust_top1", row, trajectory);
  const std::size_t groups = input.class_count.size();
  std::vector<double> now(groups), shown(classes.to_rows.rows());
  for (auto at = margins.begin(); at != margins.end(); at += static_cast<Index>(groups)) {
    std::transform(at, at + static_cast<Index>(groups), now.begin(),
                   [](const PredictedMargin<Real>& margin) { return static_cast<double>(margin.value); });
    const std::vector<double> top1 =
        robust_by_integral(now, input.class_count, input.test_noise, Workers::serial());
    classes.to_rows(top1, shown.data());
    of_rows.insert(of_rows.end(), shown.begin(), shown.end());
    total.push_back(0);
    for (std::size_t g = 0; g < groups; ++g)
      total.back() += input.class_count[g] * input.class_probability[g] * top1[g];
  }
}

/// max p̂ - min p̂ of groups at these margins.
template <class Real>
Real gap_of(const PredictedMargin<Real>* margins, const std::vector<MarginScale<Real>>& scales,
            const Real& noise) {
  using std::expm1, std::log;
  // p̂ is a logistic function of x = m - ln(K/R - 1), here x_a - x_b without the subtraction of nearly equal numbers.
  const auto x = [&](std::size_t g) { return Real(margins[g].value - log(Real(scales[g].total - 1))); };
  const auto lead = [&](std::size_t a, std::size_t b) {
    if (scales[a].total != scales[b].total) return Real(x(a) - x(b));
    return margins[a].value < margins[a].left ? Real(margins[a].value - margins[b].value)
                                              : Real(margins[b].left - margins[a].left);
  };
  std::size_t best = 0, worst = 0;
  for (std::size_t g = 1; g < scales.size(); ++g) {
    if (lead(g, best) > 0) best = g;
    if (lead(worst, g) > 0) worst = g;
  }
  return -logistic(x(best)) * margins[worst].error(scales[worst].total, noise) *
         expm1(Real(-lead(best, worst)));
}

}  // namespace

bool orthonormal_embeddings(const Experiment& experiment) {
  return embedding_row(experiment.query_embedding.kind).orthonormal &&
         embedding_row(experiment.answer_embedding.kind).orthonormal;
}

PredictionInput prediction_input(const Experiment& experiment, const OptimizerChoice& choice,
                                 double step_size, const Spectrum& spectrum) {
  const EmbeddingRow& query = embedding_row(experiment.query_embedding.kind);
  const EmbeddingRow& answer = embedding_row(experiment.answer_embedding.kind);
  const AnswerLaw* law = spectrum.answers.get();
  const std::optional<double> of_queries = cosine(query, experiment.query_embedding),
                              of_answers = cosine(answer, experiment.answer_embedding);
  PredictionInput input{
      .class_total = spectrum.answer_count(),
      .label_noise = experiment.label_noise,
      .sampling = spectrum.sampling,
      .even_noise = experiment.noise() == NoiseAnswers::uniform,
      .population = !experiment.sampled() && !experiment.removes_recovered(),
      .orthonormal = orthonormal_embeddings(experiment),
      .equicorrelated = of_queries && of_answers,
      .query_cosine = of_queries.value_or(0),
      .answer_cosine = of_answers.value_or(0),
      .identity = query.identity && answer.identity,
      .independent = independent(query, experiment.query_embedding, spectrum.classes) &&
                     independent(answer, experiment.answer_embedding, spectrum.answer_count()),
      .rule = choice.rule,
      .parameters = choice.parameters,
      .schedule = schedule_of(choice, step_size, experiment, spectrum),
      .factors = experiment.in_factors() ? 2 : 1,
      .start = experiment.starts_at_zero() ? std::optional(0.0) : std::nullopt,
      .many_steps = experiment.many_steps() && experiment.fast_forward != "off",
      .test_noise = experiment.test_noise};
  if (law) add_answers(*law, input);
  if (experiment.init.kind == "aligned") input.start = experiment.init.parameters.number("scale");
  const bool manifold = start_row(experiment.init.kind).of_attributes;
  if (manifold) input.start = experiment.init.parameters.number("scale");
  if (experiment.of_attributes() && spectrum.grid && answer.orthonormal && spectrum.groups->size() == 1 &&
      (manifold || experiment.starts_at_zero()))
    input.attributes =
        PredictedAttributes{spectrum.grid->count, attribute_gains(experiment.query_embedding.parameters)};
  input.softmax = !experiment.loss->of_outputs;
  if (experiment.loss->of_outputs) {
    input.squares = experiment.squares;
    const double per_output = std::pow(experiment.squares.answer_noise, 2) / 2;
    input.outputs = weight_shape(experiment, spectrum).rows;
    input.squares_noise = experiment.squares.bilinear() ? per_output : per_output * input.outputs;
  }
  if (experiment.data_mode == "minibatch" && !experiment.removes_recovered())
    input.batch = experiment.data_parameters.number("batch");
  return input;
}

std::vector<const PredictionRow*> applicable_predictions(const PredictionInput& input) {
  std::vector<const PredictionRow*> rows;
  for (const PredictionRow& row : prediction_catalogue()) {
    if ((row.of_squares ? input.squares.has_value() : input.softmax) && !row.objection(input))
      rows.push_back(&row);
  }
  return rows;
}

template <class Real>
std::vector<const PredictionRow*> predict(const PredictionInput& input, const PredictedClasses& classes,
                                          const std::vector<std::int64_t>& steps, Trajectory& trajectory) {
  const std::vector<const PredictionRow*> applied = applicable_predictions(input);
  if (applied.empty()) return applied;
  const bool squares = input.squares.has_value();
  const SquareModes modes = squares ? modes_of(input) : SquareModes{};
  const std::vector<MarginScale<Real>> scales = margin_scales<Real>(input);
  const Real noise = input.label_noise,
             least = squares ? Real(squares_floor(input, modes)) : least_loss(input, scales);
  const LossScale scale{static_cast<double>(least), input.class_total, squares};
  const std::size_t groups = input.class_count.size();
  CellWeights<Real> weights;
  for (std::size_t g = 0; g < groups; ++g) weights.add(input.class_count[g], input.class_probability[g]);
  const MetricRows& metrics = class_metrics(squares, true);
  ClassStats<Real> seen;
  seen.resize(groups);
  if (squares) seen.coefficient.resize(groups);
  std::vector<Real> values(groups), of_rows(classes.to_rows.rows()), row_least(of_rows);
  if (!squares) {
    std::ranges::transform(scales, values.begin(), &MarginScale<Real>::least);
    classes.to_rows(values, row_least.data());
  }
  // Adds the series of a prediction whose numbers are changed by `units` of rounding.
  const auto add = [&](const PredictionRow& row, int units, Trajectory& shown) {
    PredictionInput changed = input;
    changed.rounding = units;
    std::vector<PredictedMean> means;
    MarginsOf<Real> margins;
    if (row.means != nullptr)
      means = row.means(changed, steps);
    else
      margins = row.margins.in<Real>()(changed, steps);
    for (PredictedMargin<Real>& margin : margins)
      margin = {rounded<Real>(margin.value, units), rounded<Real>(margin.left, units)};
    // The mean of a function of several classes is not that of their means.
    MetricRows found = metrics;
    if (!means.empty())
      std::erase_if(found, [](const MetricRow* m) { return m->classes().over == Over::spread; });
    if (trajectory.series.contains("nds")) predict_sharpness<Real>(row, input, margins, shown);
    if (shown.series.contains("robust_top1")) predict_robust<Real>(row, input, classes, margins, shown);
    std::vector<std::vector<double>*> series;
    for (const MetricRow* metric : found) series.push_back(&series_of(metric->name, row, shown));
    for (std::size_t t = 0; t < steps.size(); ++t) {
      const PredictedMargin<Real>* now = margins.data() + t * groups;
      const Real excess = squares ? see_squares(now, input, modes, seen) : Real(0);
      for (std::size_t g = 0; !squares && g < groups; ++g) {
        const PredictedMean* mean = means.empty() ? nullptr : &means[t * groups + g];
        seen.error[g] = mean ? Real(mean->error) : now[g].error(scales[g].total, noise);
        seen.excess_loss[g] = mean ? Real(mean->excess_loss) : now[g].excess_loss(scales[g].total, noise);
      }
      const std::vector<Real> sums = totals<Real>(found, seen, weights);
      for (std::size_t m = 0; m < found.size(); ++m) {
        const ClassMeasure& measure = found[m]->classes();
        if (!found[m]->per_class()) {
          const bool spread = measure.over == Over::spread;
          const Real total = spread ? gap_of(now, scales, noise) : squares ? excess : sums[m];
          series[m]->push_back(measure.metric(total, least, scale));
          continue;
        }
        measure.value(seen, 0, groups, values.data());
        classes.to_rows(values, of_rows.data());
        for (std::size_t r = 0; r < of_rows.size(); ++r)
          series[m]->push_back(measure.metric(of_rows[r], row_least[r], scale));
      }
    }
  };
  for (const PredictionRow* row : applied) {
    add(*row, 0, trajectory);
    if (!trajectory.series.contains("digits")) continue;
    std::vector<Trajectory> repetitions(2);
    add(*row, 1, repetitions[0]);
    add(*row, -1, repetitions[1]);
    const std::string suffix = prediction_suffix(*row);
    trajectory.series["digits" + suffix] = fewest_digits(repetitions, steps.size(), trajectory, suffix);
    // A sum has digits where the loss of one class is rounding. Those of a softmax are the digits of its errors.
    if (squares)
      trajectory.series["class_loss_digits" + suffix] =
          fewest_digits(repetitions, steps.size(), trajectory, suffix, {"class_loss"});
    if (const std::string nds = "nds" + suffix; trajectory.series.contains(nds)) {
      std::vector<std::string> with_nds = claimed_metrics;
      with_nds.push_back("nds");
      trajectory.series[nds + "_digits"] =
          fewest_digits(repetitions, steps.size(), trajectory, suffix, with_nds);
    }
  }
  return applied;
}

template std::vector<const PredictionRow*> predict<double>(const PredictionInput&, const PredictedClasses&,
                                                           const std::vector<std::int64_t>&, Trajectory&);
template std::vector<const PredictionRow*> predict<Real50>(const PredictionInput&, const PredictedClasses&,
                                                           const std::vector<std::int64_t>&, Trajectory&);

}  // namespace rarefact
