#include "sim/result_variables.hpp"

#include <algorithm>

#include "metrics/metric.hpp"
#include "sim/predict.hpp"

namespace rarefact {

std::vector<Variable> variables_of(const std::vector<Trajectory>& trajectories,
                                   const std::vector<std::vector<const PredictionRow*>>& predictions) {
  std::vector<Variable> variables;
  const auto present = [&](const std::string& name) {
    return std::any_of(trajectories.begin(), trajectories.end(),
                       [&](const Trajectory& t) { return t.series.count(name) != 0; });
  };
  for (const MetricRow& metric : metric_catalogue()) {
    if (metric.kind == MetricKind::trajectory) {
      variables.push_back({metric.name, metric.long_name, metric.units, metric.per_class});
      continue;
    }
    if (metric.kind != MetricKind::spectral) {
      if (present(metric.name))
        variables.push_back({metric.name, metric.long_name, metric.units, metric.per_class});
      continue;
    }
    for (const auto& [prefix, of] :
         {std::pair{"update_", " of the update"}, std::pair{"weight_", " of the weight"}}) {
      if (present(prefix + metric.name))
        variables.push_back({prefix + metric.name, metric.long_name + of, metric.units});
    }
  }
  for (const std::string suffix : {"_predicted", "_predicted_flow"}) {
    std::string source, validity;
    for (std::size_t o = 0; o < trajectories.size(); ++o) {
      for (const PredictionRow* row : predictions[o]) {
        if (prediction_suffix(*row) != suffix) continue;
        const std::string label = (source.empty() ? "" : "; ") + trajectories[o].optimizer + ": ";
        source += label + row->name + " (" + row->source + ")";
        validity += label + row->validity;
      }
    }
    if (suffix != "_predicted" && source.empty()) continue;
    for (const MetricRow& metric : metric_catalogue()) {
      if (!metric.predicted) continue;
      variables.push_back({metric.name + suffix, metric.long_name + ", predicted", metric.units,
                           metric.per_class, source.empty() ? "none" : source,
                           validity.empty() ? "no prediction applies" : validity});
    }
  }
  return variables;
}

}  // namespace rarefact
