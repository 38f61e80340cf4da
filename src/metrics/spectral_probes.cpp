// Probes of singular values, and in the task basis, which cost as much.

#include "algebra/spectral_measures.hpp"
#include "core/transform.hpp"
#include "experiment/precision.hpp"
#include "metrics/probe.hpp"

namespace rarefact {

namespace {

bool measures_spectrum(const ProbeCase& query) {
  const Experiment& experiment = query.experiment;
  return experiment.spectral_metrics == "on" ||
         (experiment.spectral_metrics == "auto" &&
          query.matrix_rows <= precision_of(experiment).max_spectral_rows);
}

}  // namespace

std::vector<Probe> spectral_probes() {
  static const auto rows = mapped(spectral_rows(), [](const SpectralRow& row) {
    MetricRow metric{{row.name, row.summary, row.formula, "wang2025, section 4.2"}, row.long_name, "1"};
    metric.of_matrices = true;
    return metric;
  });
  return {
      {.rows = rows,
       .needs = {.update = true, .singular_values = true},
       .wanted = measures_spectrum,
       .observe =
           [](Moment& moment, const Experiment&, Measurements& found) {
             const auto names_with = [](const std::string& prefix) {
               return mapped(spectral_rows(), [&](const SpectralRow& row) { return prefix + row.name; });
             };
             static const auto update = names_with("update_"), weight = names_with("weight_");
             const auto write = [&](const std::vector<std::string>& names, const SingularValues& values) {
               const Levels levels = levels_of(values);
               for (std::size_t i = 0; i < names.size(); ++i)
                 found.number(names[i], spectral_rows()[i](levels));
             };
             write(update, moment.update_values());
             write(weight, moment.weight_values());
           }},
      {.rows =
           {
               {{"update_identity_deviation",
                 "how far the step's direction is from the identity in the task basis",
                 "max_kl |δ_kl + (Ẽᵀ D E)_kl|; NaN where queries are not the answers",
                 "li2026, after Proposition 6.1"},
                "largest deviation of -D from the identity in the task basis",
                "1"},
               {{"weight_identity_deviation", "how far the logits are from a multiple of the identity",
                 "max_kl |S_kl/a - δ_kl|, a the mean of S_ll; NaN where queries are not the answers",
                 "wang2025, Theorem 5.4"},
                "largest deviation of S/a from the identity",
                "1"},
           },
       .needs = {.update = true, .singular_values = true, .logit_matrices = 1},
       .wanted = measures_spectrum,
       .observe =
           [](Moment& moment, const Experiment&, Measurements& found) {
             found.number("update_identity_deviation", moment.update_deviation());
             found.number("weight_identity_deviation", moment.weight_deviation());
           }},
  };
}

}  // namespace rarefact
