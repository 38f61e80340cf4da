#include <algorithm>

#include "metrics/metric.hpp"
#include "sim/predict.hpp"

namespace rarefact {

std::string prediction_suffix(const PredictionRow& row) {
  return row.variant.empty() ? "_predicted" : "_predicted_" + row.variant;
}

std::vector<Variable> variables_of(const std::vector<Trajectory>& trajectories,
                                   const std::vector<std::vector<const PredictionRow*>>& predictions) {
  std::vector<Variable> variables;
  const auto present = [&](const std::string& name) {
    return std::any_of(trajectories.begin(), trajectories.end(),
                       [&](const Trajectory& t) { return t.series.count(name) != 0; });
  };
  // Squares have no unit.
  const auto units = [squares = present("coefficient")](const MetricRow& metric) {
    return squares && metric.units == "nat" ? "1" : metric.units;
  };
  for (const MetricRow& metric : metric_catalogue()) {
    for (const Trajectory& trajectory : trajectories)
      for (const auto& [name, of] : metric.stored_in(trajectory.series))
        if (find_row(variables, name) == nullptr)
          variables.push_back({name, metric.long_name + of, units(metric), metric.along});
  }
  for (const std::string suffix : {"_predicted", "_predicted_flow", "_predicted_mean"}) {
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
      if (!metric.predicted ||
          !present(metric.of_classes && suffix == "_predicted" ? metric.name : metric.name + suffix))
        continue;
      variables.push_back(
          {metric.name + suffix,
           "predicted " + metric.long_name + (suffix == "_predicted_mean" ? ", mean over samples" : ""),
           units(metric), metric.along, source.empty() ? "none" : source,
           validity.empty() ? "no prediction applies" : validity});
    }
  }
  return variables;
}

}  // namespace rarefact
