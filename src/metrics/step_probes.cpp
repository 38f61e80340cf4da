// Probes of W and of the next update.

#include "metrics/probe.hpp"

namespace rarefact {

namespace {

const Readings<RhoMeasures>& rho_readings() {
  static const std::string rho_source = "wang2025, section 5.1";
  static const Readings<RhoMeasures> all = {
      {{{"rho", "least p̂ of any class once the best class is retrieved, as defined",
         "ϱ = inf over γ with max_l p̂(l|l) >= 1-ε of min_l p̂(l|l), logits γ S; at step 1 γη is the step size",
         rho_source},
        "ϱ, the infimum over scales of W",
        {.certified = Certified::alone}},
       &RhoMeasures::infimum},
      {{{"rho_at_threshold", "the same at the smallest admissible scale", "min_l p̂(l|l) at the least such γ",
         rho_source},
        "ϱ at the smallest admissible scale of W",
        {.certified = Certified::alone}},
       &RhoMeasures::at_threshold},
      {{{"rho_deficit", "how much more the worst class errs than the best at that scale",
         "(1 - ϱ)/ε - 1 at the least γ", rho_source},
        "relative deficit of ϱ at the smallest admissible scale"},
       &RhoMeasures::deficit},
      {{{"rho_scale", "the smallest admissible scale", "least γ with max_l p̂(l|l) >= 1-ε", rho_source},
        "smallest admissible scale of W"},
       &RhoMeasures::scale},
  };
  return all;
}

/// The measures of the loss along the next update W ← W - ηD.
const Readings<CurvatureMeasures>& curvature_readings() {
  static const std::string source = "wang2026";
  static const Readings<CurvatureMeasures> all = {
      {{{"first_order_gain", "first-order decrease of the loss at the next update", "η⟨∇L, D⟩", source},
        "first-order gain of the next update",
        {.units = "nat", .certified = Certified::beside}},
       &CurvatureMeasures::first_order_gain},
      {{{"curvature_penalty", "second-order increase",
         "½η²⟨D, H D⟩ = ½η² Σ_l p_l Var_k (ẼᵀDE)_kl, k ~ p̂(.|l)", source},
        "curvature penalty of the next update",
        {.units = "nat", .certified = Certified::beside}},
       &CurvatureMeasures::curvature_penalty},
      {{{"taylor_remainder", "what the orders beyond the second add",
         "L(W - ηD) - L(W) + η⟨∇L, D⟩ - ½η²⟨D, H D⟩", source},
        "Taylor remainder of the next update",
        {.units = "nat", .certified = Certified::beside}},
       &CurvatureMeasures::taylor_remainder},
      {{{"nds", "normalised directional sharpness: curvature of the loss along the next update",
         "⟨D, H D⟩/‖D‖²_F; NaN where D = 0", source},
        "normalised directional sharpness of the next update",
        {.units = "nat", .predicted = true, .certified = Certified::alone}},
       &CurvatureMeasures::nds},
      {{{"nds_effective",
         "the same without the part of the update that adds a constant to a column of logits",
         "⟨D, H D⟩/‖(I - J/K) ẼᵀDE‖²_F; NaN where embeddings are not orthonormal", source},
        "directional sharpness of the effective part of the next update",
        {.units = "nat"}},
       &CurvatureMeasures::nds_effective},
  };
  return all;
}

std::vector<MetricRow> robust_rows() {
  const std::string
      formula = "P(S_ll + σ(ẼᵀWz)_l is the largest of its column), z standard normal; answers that tie share",
      integral = formula + "; where S = 1cᵀ + diag m, ∫ φ(z) Π_{k≠l} Φ(m_l (1/σ + z)/|m_k|) dz";
  return {
      {{"robust_top1",
        "how often the right answer has the largest logit for noisy test queries (run.test_noise)", integral},
       "top-1 accuracy with noisy queries",
       {.along = Along::class_groups, .predicted = true, .certified = Certified::alone, .share = true}},
      {{"total_robust_top1", "the same, mean over the classes by probability", "Σ_l p_l robust_top1_l"},
       "top-1 accuracy with noisy queries",
       {.predicted = true, .certified = Certified::alone, .share = true}},
      {{"robust_top1_deviation",
        "standard error of robust_top1 by draws (run.test_draws), mean over the group's classes",
        "standard deviation of the wins of n draws, by n^½; answers that tie share a win"},
       "standard error of the top-1 accuracy with noisy queries",
       {.along = Along::class_groups}},
      {{"total_robust_top1_deviation", "standard error of total_robust_top1 by draws",
        "standard deviation of Σ_l p_l 1[l is right] over n draws, by n^½"},
       "standard error of the top-1 accuracy with noisy queries"}};
}

}  // namespace

std::vector<Probe> step_probes() {
  return {
      {.rows = {{{"push", "how much the next update raises the right logit of a class, per unit of step size",
                  "-(Ẽᵀ D E)_ll, mean over the group's classes"},
                 "push of the right logit per unit of step size",
                 {.along = Along::class_groups, .certified = Certified::beside}}},
       .needs = {.update = true, .row_values = 1},
       .wanted = [](const ProbeCase& query) { return query.experiment.push; },
       .observe = [](Moment& moment, const Experiment&,
                     Measurements& found) { found.cells("push", moment.push()); },
       .has_digits = true},
      {.rows =
           {{{"alignment",
              "how much of the next update is along the polar factor of the population's gradient",
              "<D, msgn(∇L)>/rank ∇L, ∇L of the population at W even if D is from samples, without recovered "
              "classes if these are removed; NaN where rounding hides its rank"},
             "alignment of the update with msgn of the population's gradient"}},
       .needs = {.update = true, .polar_factor = true},
       .wanted = [](const ProbeCase& query) { return query.experiment.alignment; },
       .numbers = {[](Moment& moment) { return moment.alignment(); }},
       .has_digits = true},
      {.rows = {{{"balance", "how much the factors of W = U V differ, which gradient flow conserves",
                  "‖UᵀU - VVᵀ‖_F", "rhee2026"},
                 "imbalance of the factors"}},
       .needs = {},
       .wanted = [](const ProbeCase& query) { return query.experiment.is_product(); },
       .numbers = {[](Moment& moment) { return moment.balance(); }},
       .has_digits = true},
      {.rows = rows_of(rho_readings()),
       .needs = {.logit_matrices = 2},
       .wanted = [](const ProbeCase& query) { return query.experiment.rho_epsilon > 0; },
       .observe =
           [](Moment& moment, const Experiment& experiment, Measurements& found) {
             write(rho_readings(), moment.rho(experiment.rho_epsilon), found);
           }},
      {.rows = robust_rows(),
       .needs = {.logit_matrices = 2, .row_values = 1},
       .wanted = [](const ProbeCase& query) { return query.experiment.test_noise > 0; },
       .observe =
           [](Moment& moment, const Experiment& experiment, Measurements& found) {
             const RobustMeasures seen = moment.robust(experiment.test_noise, experiment.test_draws);
             found.cells("robust_top1", seen.top1);
             found.number("total_robust_top1", seen.total);
             if (seen.deviation.empty()) return;
             found.cells("robust_top1_deviation", seen.deviation);
             found.number("total_robust_top1_deviation", seen.total_deviation);
           }},
      {.rows = rows_of(curvature_readings()),
       .needs = {.update = true, .logits = true, .expansion = true},
       .wanted = [](const ProbeCase& query) { return query.experiment.curvature; },
       .observe = [](Moment& moment, const Experiment&,
                     Measurements& found) { write(curvature_readings(), moment.curvature(), found); },
       .has_digits = true},
      {.rows =
           {{{"twin_gain",
              "growth of differences between identical queries or answers: above 2 rounding separates them",
              "max η p_l p̂(k|l)/σ, σ the norm of ∇L, within the component of k, in answer k's row for identical "
              "queries l, in l's column for identical answers k; on the engines symmetric and quadrature, else NaN"},
             "growth of a difference between identical classes in a step"}},
       .needs = {.update = true},
       .wanted = [](const ProbeCase& query) { return query.merges_identical; },
       .numbers = {[](Moment& moment) { return moment.twin_gain(); }}},
  };
}

}  // namespace rarefact
