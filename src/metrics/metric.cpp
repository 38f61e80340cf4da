#include "metrics/metric.hpp"

namespace rarefact {

namespace {

/// Of a step, and of the direction of W.
std::vector<MetricRow> step_rows() {
  const std::string rho_source = "wang2025, section 5.1";
  return {
      {{"update_identity_deviation", "how far the step's direction is from the identity in the task basis",
        "max_kl |δ_kl + (Ẽᵀ D E)_kl|; NaN where queries are not the answers",
        "li2026, after Proposition 6.1"},
       "largest deviation of -D from the identity in the task basis",
       "1",
       &TaskMeasures::update_identity_deviation},
      {{"weight_identity_deviation", "how far the logits are from a multiple of the identity",
        "max_kl |S_kl/a - δ_kl|, a the mean of S_ll; NaN where queries are not the answers",
        "wang2025, Theorem 5.4"},
       "largest deviation of S/a from the identity",
       "1",
       &TaskMeasures::weight_identity_deviation},
      {{"update_orthogonality_residual",
        "how far the update is from a partial isometry, in the size its rule means it to have",
        "max_i |(σ_i/s)² - 1| over the nonzero singular values of D; s the lr_scale factor of muon, else 1",
        ""},
       "orthogonality residual of the update",
       "1",
       &TaskMeasures::update_orthogonality_residual},
      {{"update_null_space_leakage",
        "part of the update where no gradient has any: in the left null direction of ∇L",
        "‖uᵀD‖/‖D‖_F, ‖u‖ = 1, Ẽᵀu ∝ 1 (of orthonormal Ẽ: u = Ẽ1/√K); NaN where dependent Ẽ have no u", ""},
       "null-space leakage of the update",
       "1",
       &TaskMeasures::update_null_space_leakage},
      {{"push", "what the next update does to the right logit of a class, per unit of step size",
        "-(Ẽᵀ D E)_ll, mean over the group's classes", ""},
       "push of the right logit per unit of step size",
       "1",
       PushMeasure()},
      {{"alignment", "how much of the next update is along the polar factor of the population's gradient",
        "<D, msgn(∇L)>/rank ∇L, ∇L of the population at W whatever D is made of; 1 where D is that factor",
        ""},
       "alignment of the update with msgn of the population's gradient",
       "1",
       AlignmentMeasure()},
      {{"rho", "least p̂ of any class once the best class is retrieved, as defined",
        "ϱ = inf over γ with max_l p̂(l|l) >= 1-ε of min_l p̂(l|l), logits γ S; at step 1 γη is the step size",
        rho_source},
       "ϱ, the infimum over scales of W",
       "1",
       &RhoMeasures::infimum,
       {.certified = true}},
      {{"rho_at_threshold", "the same at the smallest admissible scale", "min_l p̂(l|l) at the least such γ",
        rho_source},
       "ϱ at the smallest admissible scale of W",
       "1",
       &RhoMeasures::at_threshold,
       {.certified = true}},
      {{"rho_deficit", "how much more the worst class errs than the best at that scale",
        "(1 - ϱ)/ε - 1 at the least γ", rho_source},
       "relative deficit of ϱ at the smallest admissible scale",
       "1",
       &RhoMeasures::deficit},
      {{"rho_scale", "the smallest admissible scale", "least γ with max_l p̂(l|l) >= 1-ε", rho_source},
       "smallest admissible scale of W",
       "1",
       &RhoMeasures::scale},
  };
}

/// How many digits rounding leaves.
std::vector<MetricRow> digits_rows() {
  const std::string formula =
      "-log10(largest relative difference between the run and 3 repetitions rounded at random) - 1, the least so "
      "far, from 0 to 15";
  const auto row = [&](const std::string& name, const char* of, const std::string& summary) -> MetricRow {
    return {{name, summary, formula, "vignes1993; parker1997"},
            summary,
            "1",
            DigitsMeasure{of},
            {.predicted = !*of}};
  };
  return {
      row("digits", "", "digits that rounding leaves of the loss, the excess loss and the errors, the least"),
      row("loss_digits", "loss", "digits that rounding leaves of the loss"),
      row("excess_loss_digits", "excess_loss", "digits that rounding leaves of the excess loss"),
      row("error_digits", "error", "digits that rounding leaves of the errors of all classes shown")};
}

/// Where queries are many to an answer, or answers many to a query.
std::vector<MetricRow> answer_rows() {
  const auto row = [](const char* name, const char* summary, const char* formula, const char* long_name,
                      const char* unit, AnswerMeasure how) -> MetricRow {
    return {{name, summary, formula, ""}, long_name, unit, how};
  };
  return {
      row("top1_error", "how often the answer with the largest logit is wrong; answers that tie count evenly",
          "Σ_l p_l (1 - π₀(k̂_l|l)), k̂_l the answer with the largest logit", "top-1 error", "1",
          &LawMeasures::top1_error),
      row("twin_gain",
          "whether answers, or queries of an answer, that are learned alike stay so: above 2 the least rounding parts them",
          "max η p_l p̂(k|l)/σ, σ the norm of ∇L in answer k's row for twin queries l, in l's column for twin "
          "answers k; on the engines symmetric and quadrature, else NaN",
          "gain of a difference between twins in a step", "1", &LawMeasures::twin_gain),
      row("answer_error", "error of the queries of an answer, mean by probability",
          "Σ_l p_l π₀(k|l) error_l / q_k, q_k = Σ_l p_l π₀(k|l)", "error of the answer", "1",
          &LawMeasures::answer_error),
      row("answer_loss", "loss of an answer, mean over its queries by probability",
          "-Σ_l p_l π(k|l) ln p̂(k|l) / Σ_l p_l π(k|l)", "loss of the answer", "nat",
          &LawMeasures::answer_loss),
  };
}

/// Of the loss along the next update, the step W ← W - ηD.
std::vector<MetricRow> curvature_rows() {
  const std::string source = "wang2026";
  return {
      {{"first_order_gain", "what the next update would take from the loss if the loss were linear",
        "η⟨∇L, D⟩", source},
       "first-order gain of the next update",
       "nat",
       &CurvatureMeasures::first_order_gain},
      {{"curvature_penalty", "what the curvature of the loss adds again",
        "½η²⟨D, H D⟩ = ½η² Σ_l p_l Var_k (ẼᵀDE)_kl, k ~ p̂(.|l)", source},
       "curvature penalty of the next update",
       "nat",
       &CurvatureMeasures::curvature_penalty},
      {{"taylor_remainder", "what the orders beyond the second add",
        "L(W - ηD) - L(W) + η⟨∇L, D⟩ - ½η²⟨D, H D⟩", source},
       "Taylor remainder of the next update",
       "nat",
       &CurvatureMeasures::taylor_remainder},
      {{"nds", "normalised directional sharpness: curvature of the loss along the next update",
        "⟨D, H D⟩/‖D‖²_F; NaN where D = 0", source},
       "normalised directional sharpness of the next update",
       "nat",
       &CurvatureMeasures::nds,
       {.predicted = true}},
      {{"nds_effective", "the same without the part of the update that adds a constant to a column of logits",
        "⟨D, H D⟩/‖(I - J/K) ẼᵀDE‖²_F; NaN where embeddings are not orthonormal", source},
       "directional sharpness of the effective part of the next update",
       "nat",
       &CurvatureMeasures::nds_effective},
  };
}

Along along_of(const Measure& how) {
  if (const auto* of_classes = std::get_if<ClassMeasure>(&how))
    return of_classes->over == Over::each ? Along::class_groups : Along::nothing;
  if (std::holds_alternative<PushMeasure>(how)) return Along::class_groups;
  const auto* of_answers = std::get_if<AnswerMeasure>(&how);
  const bool many =
      of_answers != nullptr && std::holds_alternative<std::vector<double> LawMeasures::*>(*of_answers);
  return many ? Along::answer_groups : Along::nothing;
}

}  // namespace

MetricRow::MetricRow(CatalogueRow description, std::string in_plots, std::string unit, const Measure& how,
                     MetricTraits traits)
    : CatalogueRow(std::move(description)),
      MetricTraits(traits),
      long_name(std::move(in_plots)),
      units(std::move(unit)),
      measure(how),
      kind(static_cast<MetricKind>(how.index())),
      along(along_of(how)) {}

std::vector<double> MetricRow::of(const LawMeasures& seen) const {
  const auto& of_answers = std::get<AnswerMeasure>(measure);
  if (const auto* one = std::get_if<double LawMeasures::*>(&of_answers)) return {seen.**one};
  return seen.*std::get<std::vector<double> LawMeasures::*>(of_answers);
}

const std::vector<MetricRow>& metric_catalogue() {
  static const std::vector<MetricRow> rows = [] {
    std::vector<MetricRow> all = class_metric_rows();
    for (const auto& more : {spectral_rows(), step_rows(), curvature_rows(), answer_rows(), digits_rows()})
      all.insert(all.end(), more.begin(), more.end());
    return all;
  }();
  return rows;
}

MetricRows metrics_of(MetricKind kind) {
  MetricRows rows;
  for (const MetricRow& row : metric_catalogue()) {
    if (row.kind == kind) rows.push_back(&row);
  }
  return rows;
}

const MetricRows& class_metrics(bool squares) {
  static const auto rows_of = [](bool of_squares) {
    MetricRows all = metrics_of(MetricKind::trajectory);
    std::erase_if(all, [&](const MetricRow* row) { return !row->is_of(of_squares); });
    return all;
  };
  static const MetricRows softmax = rows_of(false), least_squares = rows_of(true);
  return squares ? least_squares : softmax;
}

const MetricRows& predicted_metrics(bool squares) {
  static const auto rows_of = [](bool of_squares) {
    MetricRows all = class_metrics(of_squares);
    std::erase_if(all, [](const MetricRow* row) { return !row->predicted; });
    return all;
  };
  static const MetricRows softmax = rows_of(false), least_squares = rows_of(true);
  return squares ? least_squares : softmax;
}

}  // namespace rarefact
