#include "sim/predict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/embedding.hpp"
#include "model/margin.hpp"

namespace rarefact {

std::string prediction_suffix(const PredictionRow& row) {
  return row.variant.empty() ? "_predicted" : "_predicted_" + row.variant;
}

PredictedClasses predicted_groups(const ClassGroups& groups, const ClassRows& rows) {
  PredictedClasses classes{groups.count, groups.probability, static_cast<std::size_t>(rows.width), {}};
  if (rows.groups) {
    for (std::size_t g = 0; g < groups.size(); ++g) classes.row_groups.push_back(g);
    return classes;
  }
  std::vector<double> last_rank;
  for (const double n : groups.count) last_rank.push_back((last_rank.empty() ? 0 : last_rank.back()) + n);
  for (const double rank : rows.ranks()) {
    const auto found = std::lower_bound(last_rank.begin(), last_rank.end() - 1, rank);
    classes.row_groups.push_back(static_cast<std::size_t>(found - last_rank.begin()));
  }
  return classes;
}

PredictedClasses predicted_nodes(const SmoothLaw& law, const ClassRows& rows, int panel_order) {
  const QuadratureRule rule = panel_rule(law.classes, panel_order);
  const double total = weight_of_ranks(law, law.classes);
  PredictedClasses classes{rule.count, {}, static_cast<std::size_t>(rows.width), {}};
  for (const double rank : rule.rank) classes.probability.push_back(law.weight(rank) / total);
  for (const double rank : rows.ranks()) {
    classes.row_groups.push_back(classes.count.size());
    classes.count.push_back(0);
    classes.probability.push_back(law.weight(rank) / total);
  }
  return classes;
}

Situation situation_of(const Experiment& experiment, const OptimizerChoice& choice, double step_size,
                       double class_total) {
  const EmbeddingRow& query = embedding_row(experiment.query_embedding.kind);
  const EmbeddingRow& answer = embedding_row(experiment.answer_embedding.kind);
  return {.class_count = {},
          .class_probability = {},
          .class_total = class_total,
          .label_noise = experiment.label_noise,
          .population = !experiment.sampled() && !experiment.removes_recovered,
          .orthonormal = query.orthonormal && answer.orthonormal,
          .identity = query.identity && answer.identity,
          .rule = choice.rule,
          .parameters = choice.parameters,
          .step_size = step_size,
          .schedule = choice.schedule};
}

std::vector<const PredictionRow*> applicable_predictions(const Situation& situation) {
  std::vector<const PredictionRow*> rows;
  for (const PredictionRow& row : prediction_catalogue()) {
    if (!row.objection(situation)) rows.push_back(&row);
  }
  return rows;
}

template <class Real>
std::vector<const PredictionRow*> predict(const Situation& situation, const PredictedClasses& classes,
                                          const std::vector<std::int64_t>& steps, Trajectory& trajectory) {
  const std::vector<const PredictionRow*> applied = applicable_predictions(situation);
  const Real total = class_total<Real>(situation), noise = situation.label_noise;
  const Real floor = irreducible_loss<Real>(total, noise);
  const std::size_t groups = situation.class_count.size(), width = classes.width;
  const std::size_t rows = classes.row_groups.size() / width;
  for (const PredictionRow* row : applied) {
    const MarginsOf<Real> margins = row->margins_in<Real>()(situation, steps);
    const std::string suffix = prediction_suffix(*row);
    const auto series = [&](const char* name, std::size_t values_a_step) -> std::vector<double>& {
      auto& values = trajectory.series[name + suffix];
      values.assign(steps.size() * values_a_step, std::numeric_limits<double>::quiet_NaN());
      return values;
    };
    auto& error = series("error", rows);
    auto& class_loss = series("class_loss", rows);
    auto& loss = series("loss", 1);
    auto& excess_loss = series("excess_loss", 1);
    auto& gap = series("gap", 1);
    std::vector<Real> group_error(groups), group_excess(groups);
    for (std::size_t t = 0; t < steps.size(); ++t) {
      Real sum = 0;
      for (std::size_t g = 0; g < groups; ++g) {
        const Real& margin = margins[t * groups + g];
        group_error[g] = error_of_margin<Real>(margin, total);
        group_excess[g] = excess_loss_of_margin<Real>(margin, total, noise);
        sum += Real(situation.class_count[g]) * Real(situation.class_probability[g]) * group_excess[g];
      }
      for (std::size_t r = 0; r < rows; ++r) {
        Real row_error = 0, row_excess = 0;
        for (std::size_t c = 0; c < width; ++c) {
          const std::size_t g = classes.row_groups[r * width + c];
          row_error += group_error[g] / static_cast<Real>(width);
          row_excess += group_excess[g] / static_cast<Real>(width);
        }
        error[t * rows + r] = static_cast<double>(row_error);
        class_loss[t * rows + r] = static_cast<double>(Real(floor + row_excess));
      }
      excess_loss[t] = static_cast<double>(sum);
      loss[t] = static_cast<double>(Real(floor + sum));
      const auto [least, most] = std::minmax_element(group_error.begin(), group_error.end());
      gap[t] = static_cast<double>(Real(*most - *least));
    }
  }
  return applied;
}

template std::vector<const PredictionRow*> predict<double>(const Situation&, const PredictedClasses&,
                                                           const std::vector<std::int64_t>&, Trajectory&);
template std::vector<const PredictionRow*> predict<Real50>(const Situation&, const PredictedClasses&,
                                                           const std::vector<std::int64_t>&, Trajectory&);

}  // namespace rarefact
