#include "rarefact/sim/predict.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "rarefact/model/margin.hpp"

namespace rarefact {

std::string prediction_suffix(const PredictionRow& row) {
  return row.variant.empty() ? "_predicted" : "_predicted_" + row.variant;
}

std::vector<const PredictionRow*> predict(const Situation& situation, const ClassRows& rows,
                                          const std::vector<std::int64_t>& steps, Trajectory& trajectory) {
  std::vector<const PredictionRow*> applied;
  const double classes = situation.class_total, noise = situation.label_noise;
  const double floor = irreducible_loss(classes, noise);
  const std::size_t groups = situation.class_count.size();
  for (const PredictionRow& row : prediction_catalogue()) {
    if (row.objection(situation)) continue;
    applied.push_back(&row);
    const Margins margins = row.margins(situation, steps);
    const std::string suffix = prediction_suffix(row);
    const auto series = [&](const char* name, std::size_t width) -> std::vector<double>& {
      auto& values = trajectory.series[name + suffix];
      values.assign(steps.size() * width, std::numeric_limits<double>::quiet_NaN());
      return values;
    };
    auto& error = series("error", rows.size());
    auto& class_loss = series("class_loss", rows.size());
    auto& loss = series("loss", 1);
    auto& excess_loss = series("excess_loss", 1);
    auto& gap = series("gap", 1);
    std::vector<double> group_error(groups), group_excess(groups);
    for (std::size_t t = 0; t < steps.size(); ++t) {
      double sum = 0;
      for (std::size_t g = 0; g < groups; ++g) {
        const double margin = margins[t * groups + g];
        group_error[g] = error_of_margin(margin, classes);
        group_excess[g] = excess_loss_of_margin(margin, classes, noise);
        sum += situation.class_count[g] * situation.class_probability[g] * group_excess[g];
      }
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const auto g = static_cast<std::size_t>(rows.group[r]);
        error[t * rows.size() + r] = group_error[g];
        class_loss[t * rows.size() + r] = floor + group_excess[g];
      }
      excess_loss[t] = sum;
      loss[t] = floor + sum;
      const auto [least, most] = std::minmax_element(group_error.begin(), group_error.end());
      gap[t] = *most - *least;
    }
  }
  return applied;
}

}  // namespace rarefact
