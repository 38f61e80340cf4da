#include "metrics/metric.hpp"

namespace rarefact {

namespace {

/// Metrics of the state; `predicted` ones have closed forms under some hypotheses.
std::vector<MetricRow> trajectory_rows() {
  return {
      {{.name = "loss",
        .summary = "population loss",
        .formula = "L = Σ_l p_l L_l, L_l = -Σ_k π(k|l) ln p̂(k|l)",
        .source = ""},
       "loss",
       "nat",
       false,
       true,
       MetricKind::trajectory},
      {{.name = "excess_loss",
        .summary = "loss above its lower bound",
        .formula = "L - L* = Σ_l p_l KL(π(.|l) || p̂(.|l))",
        .source = ""},
       "excess loss",
       "nat",
       false,
       true,
       MetricKind::trajectory},
      {{.name = "gap",
        .summary = "how unevenly the classes are learned",
        .formula = "Δ = max_l p̂(l|l) - min_l p̂(l|l)",
        .source = ""},
       "gap between best and worst class",
       "1",
       false,
       true,
       MetricKind::trajectory},
      {{.name = "error",
        .summary = "probability of a wrong answer, mean over the group's classes",
        .formula = "1 - p̂(l|l) = Σ_{k≠l} p̂(k|l)",
        .source = ""},
       "error of the class",
       "1",
       true,
       true,
       MetricKind::trajectory},
      {{.name = "class_loss",
        .summary = "loss of a class, mean over the group's classes",
        .formula = "L_l = -Σ_k π(k|l) ln p̂(k|l)",
        .source = ""},
       "loss of the class",
       "nat",
       true,
       true,
       MetricKind::trajectory},
      {{.name = "recovered_count",
        .summary = "facts whose right logit is strictly the largest",
        .formula = "#{l : S_ll > S_kl for every k ≠ l}",
        .source = "kim2026"},
       "recovered facts",
       "1",
       false,
       false,
       MetricKind::trajectory},
      {{.name = "recovered_weight",
        .summary = "probability mass of the recovered facts",
        .formula = "Σ_l p_l 1[S_ll > S_kl for every k ≠ l]",
        .source = "kim2026"},
       "mass of the recovered facts",
       "1",
       false,
       false,
       MetricKind::trajectory},
      {{.name = "soft_recovery",
        .summary = "probability of the right answer, mean over the facts by probability",
        .formula = "Σ_l p_l p̂(l|l)",
        .source = "kim2026"},
       "mean probability of the right answer",
       "1",
       false,
       false,
       MetricKind::trajectory},
      {{.name = "loss_drop",
        .summary = "share of the loss at W = 0 that is gone, 1 at best without label noise",
        .formula = "(ln K - L)/ln K",
        .source = "kim2026"},
       "share of the first loss that is gone",
       "1",
       false,
       false,
       MetricKind::trajectory},
  };
}

MetricRow spectral(std::string name, std::string summary, std::string formula, std::string long_name) {
  return {{std::move(name), std::move(summary), std::move(formula), "wang2025, section 4.2"},
          std::move(long_name),
          "1",
          false,
          false,
          MetricKind::spectral};
}

/// The order of spectral_metrics().
std::vector<MetricRow> spectral_rows() {
  return {
      spectral("effective_rank", "number of directions, by entropy", "exp(-Σ q ln q), q = σ²/Σσ²",
               "effective rank"),
      spectral("entropy", "evenness of the singular values, 1 at best (and for n = 1)", "-Σ q ln q / ln n",
               "normalised singular-value entropy"),
      spectral("top_energy_fraction", "share of the 10 largest singular values in the energy",
               "Σ_{i≤10} σ_i² / Σσ²", "energy fraction of the 10 largest singular values"),
      spectral("quartile_ratio", "upper over lower quartile of the energies",
               "Q75(σ²) / Q25(σ²), linear interpolation", "quartile ratio of the squared singular values"),
      spectral("stable_rank", "number of directions, by energy", "Σσ² / σ_max²", "stable rank"),
      spectral("condition_ratio", "least over largest nonzero singular value", "σ_min / σ_max",
               "ratio of the least to the largest nonzero singular value"),
      spectral("condition_ratio_rest", "the same without the single largest singular value",
               "σ_min / σ_2, multiplicities counted",
               "ratio of the least to the second largest singular value"),
      spectral("rank", "number of nonzero singular values", "n", "rank"),
      spectral("frobenius_norm", "length of the matrix as a vector", "√(Σσ²)", "Frobenius norm"),
      spectral("spectral_norm", "largest singular value", "σ_max", "spectral norm"),
  };
}

MetricRow measure(MetricKind kind, std::string name, std::string summary, std::string formula,
                  std::string source, std::string long_name) {
  return {{std::move(name), std::move(summary), std::move(formula), std::move(source)},
          std::move(long_name),
          "1",
          false,
          false,
          kind};
}

std::vector<MetricRow> task_rows() {
  return {
      measure(MetricKind::task, "update_identity_deviation",
              "how far the step's direction is from the identity in the task basis",
              "max_kl |δ_kl + (Ẽᵀ D E)_kl|", "li2026, after Proposition 6.1",
              "largest deviation of -D from the identity in the task basis"),
      measure(MetricKind::task, "weight_identity_deviation",
              "how far the logits are from a multiple of the identity",
              "max_kl |S_kl/a - δ_kl|, a the mean of S_ll", "wang2025, Theorem 5.4",
              "largest deviation of S/a from the identity"),
      measure(
          MetricKind::task, "update_orthogonality_residual",
          "how far the update is from a partial isometry, in the size its rule means it to have",
          "max_i |(σ_i/s)² - 1| over the nonzero singular values of D; s the lr_scale factor of muon, else 1",
          "", "orthogonality residual of the update"),
      measure(MetricKind::task, "update_null_space_leakage",
              "part of the update where no gradient has any: in the left null direction of ∇L",
              "‖uᵀD‖/‖D‖_F, ‖u‖ = 1, Ẽᵀu ∝ 1 (of orthonormal Ẽ: u = Ẽ1/√K); NaN where dependent Ẽ have no u",
              "", "null-space leakage of the update"),
  };
}

std::vector<MetricRow> step_rows() {
  MetricRow push = measure(MetricKind::step, "push",
                           "what the next update does to the right logit of a class, per unit of step size",
                           "-(Ẽᵀ D E)_ll, mean over the group's classes", "",
                           "push of the right logit per unit of step size");
  push.per_class = true;
  return {push};
}

std::vector<MetricRow> retrieval_rows() {
  const auto row = [](std::string name, std::string summary, std::string formula, std::string long_name) {
    return measure(MetricKind::retrieval, std::move(name), std::move(summary), std::move(formula),
                   "wang2025, section 5.1", std::move(long_name));
  };
  return {
      row("rho", "least p̂ of any class once the best class is retrieved, as defined",
          "ϱ = inf over γ with max_l p̂(l|l) >= 1-ε of min_l p̂(l|l), logits γ S; at step 1 γη is the step "
          "size",
          "ϱ, the infimum over scales of W"),
      row("rho_at_threshold", "the same at the smallest admissible scale", "min_l p̂(l|l) at the least such γ",
          "ϱ at the smallest admissible scale of W"),
      row("rho_deficit", "how much more the worst class errs than the best at that scale",
          "(1 - ϱ)/ε - 1 at the least γ", "relative deficit of ϱ at the smallest admissible scale"),
      row("rho_scale", "the smallest admissible scale", "least γ with max_l p̂(l|l) >= 1-ε",
          "smallest admissible scale of W"),
  };
}

}  // namespace

const std::vector<MetricRow>& metric_catalogue() {
  static const std::vector<MetricRow> rows = [] {
    std::vector<MetricRow> all = trajectory_rows();
    for (const auto& more : {spectral_rows(), task_rows(), step_rows(), retrieval_rows()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return rows;
}

}  // namespace rarefact
