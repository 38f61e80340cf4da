#include "metrics/spectral.hpp"

#include "experiment/precision.hpp"

namespace rarefact {

bool measures_spectrum(const ProbeCase& query) {
  const Experiment& experiment = query.experiment;
  return experiment.spectral_metrics == "on" ||
         (experiment.spectral_metrics == "auto" &&
          query.matrix_rows <= precision_of(experiment).max_spectral_rows);
}

const Probe& spectral_probe() {
  static const std::vector<MetricRow> rows = [] {
    std::vector<MetricRow> all;
    for (const SpectralRow& row : spectral_rows()) {
      all.push_back({{row.name, row.summary, row.formula, "wang2025, section 4.2"}, row.long_name, "1"});
      all.back().of_matrices = true;
    }
    return all;
  }();
  static const Probe probe = {.rows = rows,
                              .needs = {.update = true, .singular_values = true},
                              .wanted = measures_spectrum,
                              .observe = [](Moment& moment, const Experiment&, Measurements& found) {
                                const auto write = [&](const std::string& of, const SingularValues& values) {
                                  for (const auto& [name, value] : spectral_measures(levels_of(values)))
                                    found.number(of + name, value);
                                };
                                write("update_", moment.update_values());
                                write("weight_", moment.weight_values());
                              }};
  return probe;
}

}  // namespace rarefact
