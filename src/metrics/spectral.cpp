#include "metrics/spectral.hpp"

#include "core/transform.hpp"
#include "experiment/precision.hpp"

namespace rarefact {

bool measures_spectrum(const ProbeCase& query) {
  const Experiment& experiment = query.experiment;
  return experiment.spectral_metrics == "on" ||
         (experiment.spectral_metrics == "auto" &&
          query.matrix_rows <= precision_of(experiment).max_spectral_rows);
}

const Probe& spectral_probe() {
  static const auto rows = mapped(spectral_rows(), [](const SpectralRow& row) {
    MetricRow metric{{row.name, row.summary, row.formula, "wang2025, section 4.2"}, row.long_name, "1"};
    metric.of_matrices = true;
    return metric;
  });
  static const Probe probe = {
      .rows = rows,
      .needs = {.update = true, .singular_values = true},
      .wanted = measures_spectrum,
      .observe = [](Moment& moment, const Experiment&, Measurements& found) {
        const auto names_with = [](const std::string& prefix) {
          return mapped(spectral_rows(), [&](const SpectralRow& row) { return prefix + row.name; });
        };
        static const auto update = names_with("update_"), weight = names_with("weight_");
        const auto write = [&](const std::vector<std::string>& names, const SingularValues& values) {
          const Levels levels = levels_of(values);
          for (std::size_t i = 0; i < names.size(); ++i) found.number(names[i], spectral_rows()[i](levels));
        };
        write(update, moment.update_values());
        write(weight, moment.weight_values());
      }};
  return probe;
}

}  // namespace rarefact
