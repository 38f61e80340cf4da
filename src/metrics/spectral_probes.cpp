// Probes of singular values, and in the task basis, which cost as much.

#include "algebra/spectral_measures.hpp"
#include "metrics/probe.hpp"

namespace rarefact {

namespace {

bool measures_spectrum(const ProbeCase& query) {
  const Experiment& experiment = query.experiment;
  return experiment.spectral_metrics == "on" ||
         (experiment.spectral_metrics != "off" &&
          query.matrix_rows <= precision_of(experiment).max_spectral_rows);
}

/// max_i |(σ_i/size)² - 1| over the nonzero singular values: 0 for `size` times a partial isometry. NaN if
/// there are none.
double orthogonality_residual(const SingularValues& singular_values, double size) {
  double residual = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < singular_values.values.size(); ++i) {
    if (singular_values.multiplicities[i] == 0) continue;
    const double ratio = singular_values.values[i] / size;
    residual = std::fmax(residual, std::abs((ratio - 1) * (ratio + 1)));  // fmax ignores NaN
  }
  return residual;
}

}  // namespace

std::vector<Probe> spectral_probes() {
  static const auto rows = mapped(spectral_rows(), [](const SpectralRow& row) {
    return MetricRow{
        {row.name, row.summary, row.formula, "wang2025, section 4.2"}, row.long_name, {.of_matrices = true}};
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
      {.rows = {{{"root_balance",
                  "how much the roots of the factors' Gram matrices differ, which Muon conserves",
                  "‖√(UᵀU) - √(VVᵀ)‖_F of W = U V", "rhee2026"},
                 "imbalance of the factors' roots"}},
       .needs = {.singular_values = true},
       .wanted =
           [](const ProbeCase& query) { return query.experiment.is_product() && measures_spectrum(query); },
       .numbers = {[](Moment& moment) { return moment.root_balance(); }},
       .has_digits = true},
      {.rows =
           {
               {{"update_identity_deviation",
                 "how far the step's direction is from the identity in the task basis",
                 "max_kl |δ_kl + (Ẽᵀ D E)_kl|; NaN where queries are not the answers",
                 "li2026, after Proposition 6.1"},
                "largest deviation of -D from the identity in the task basis"},
               {{"weight_identity_deviation", "how far the logits are from a multiple of the identity",
                 "max_kl |S_kl/a - δ_kl|, a the mean of S_ll; NaN where queries are not the answers",
                 "wang2025, Theorem 5.4"},
                "largest deviation of S/a from the identity"},
           },
       .needs = {.update = true, .singular_values = true},
       .wanted = measures_spectrum,
       .numbers = {[](Moment& moment) { return moment.update_deviation(); },
                   [](Moment& moment) { return moment.weight_deviation(); }}},
      // Not for products: their update depends on U and V, too.
      {.rows =
           {
               {{"update_orthogonality_residual",
                 "how far the update is from a partial isometry of the size that its rule intends",
                 "max_i |(σ_i/s)² - 1| over the nonzero singular values of D; s the lr_scale factor of muon, else 1"},
                "orthogonality residual of the update"},
               {{"update_null_space_leakage",
                 "part of the update along the left null direction of ∇L, where every gradient is zero",
                 "‖uᵀD‖/‖D‖_F, ‖u‖ = 1, Ẽᵀu ∝ 1 (of orthonormal Ẽ: u = Ẽ1/√K); NaN where dependent Ẽ have no u"},
                "null-space leakage of the update"},
           },
       .needs = {.update = true, .singular_values = true},
       .wanted =
           [](const ProbeCase& query) { return !query.experiment.in_factors() && measures_spectrum(query); },
       .numbers = {[](Moment& moment) {
                     return orthogonality_residual(moment.update_values(), moment.update_size());
                   },
                   [](Moment& moment) { return moment.update_leakage(); }}},
  };
}

}  // namespace rarefact
