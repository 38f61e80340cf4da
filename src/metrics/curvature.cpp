#include "metrics/probe.hpp"

namespace rarefact {

namespace {

/// The measures of the loss along the next update W ← W - ηD.
const Readings<CurvatureMeasures>& curvature_readings() {
  static const std::string source = "wang2026";
  static const Readings<CurvatureMeasures> all = {
      {{{"first_order_gain", "what the next update would take from the loss if the loss were linear",
         "η⟨∇L, D⟩", source},
        "first-order gain of the next update",
        "nat",
        Along::nothing,
        {.certified = Certified::beside}},
       &CurvatureMeasures::first_order_gain},
      {{{"curvature_penalty", "what the curvature of the loss adds again",
         "½η²⟨D, H D⟩ = ½η² Σ_l p_l Var_k (ẼᵀDE)_kl, k ~ p̂(.|l)", source},
        "curvature penalty of the next update",
        "nat",
        Along::nothing,
        {.certified = Certified::beside}},
       &CurvatureMeasures::curvature_penalty},
      {{{"taylor_remainder", "what the orders beyond the second add",
         "L(W - ηD) - L(W) + η⟨∇L, D⟩ - ½η²⟨D, H D⟩", source},
        "Taylor remainder of the next update",
        "nat",
        Along::nothing,
        {.certified = Certified::beside}},
       &CurvatureMeasures::taylor_remainder},
      {{{"nds", "normalised directional sharpness: curvature of the loss along the next update",
         "⟨D, H D⟩/‖D‖²_F; NaN where D = 0", source},
        "normalised directional sharpness of the next update",
        "nat",
        Along::nothing,
        {.predicted = true, .certified = Certified::alone}},
       &CurvatureMeasures::nds},
      {{{"nds_effective",
         "the same without the part of the update that adds a constant to a column of logits",
         "⟨D, H D⟩/‖(I - J/K) ẼᵀDE‖²_F; NaN where embeddings are not orthonormal", source},
        "directional sharpness of the effective part of the next update",
        "nat"},
       &CurvatureMeasures::nds_effective},
  };
  return all;
}

}  // namespace

const Probe& curvature_probe() {
  static const Probe probe = {
      .rows = rows_of(curvature_readings()),
      .needs = {.update = true, .logits = true, .expansion = true},
      .wanted = [](const ProbeCase& query) { return query.experiment.curvature; },
      .observe = [](Moment& moment, const Experiment&,
                    Measurements& found) { write(curvature_readings(), moment.curvature(), found); }};
  return probe;
}

}  // namespace rarefact
