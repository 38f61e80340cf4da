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
        "1",
        Along::nothing,
        {.certified = Certified::alone}},
       &RhoMeasures::infimum},
      {{{"rho_at_threshold", "the same at the smallest admissible scale", "min_l p̂(l|l) at the least such γ",
         rho_source},
        "ϱ at the smallest admissible scale of W",
        "1",
        Along::nothing,
        {.certified = Certified::alone}},
       &RhoMeasures::at_threshold},
      {{{"rho_deficit", "how much more the worst class errs than the best at that scale",
         "(1 - ϱ)/ε - 1 at the least γ", rho_source},
        "relative deficit of ϱ at the smallest admissible scale",
        "1"},
       &RhoMeasures::deficit},
      {{{"rho_scale", "the smallest admissible scale", "least γ with max_l p̂(l|l) >= 1-ε", rho_source},
        "smallest admissible scale of W",
        "1"},
       &RhoMeasures::scale},
  };
  return all;
}

}  // namespace

const Probe& rho_probe() {
  static const Probe probe = {
      .rows = rows_of(rho_readings()),
      .needs = {.logit_matrices = 2},
      .wanted = [](const ProbeCase& query) { return query.experiment.rho_epsilon > 0; },
      .observe =
          [](Moment& moment, const Experiment& experiment, Measurements& found) {
            write(rho_readings(), moment.rho(experiment.rho_epsilon), found);
          }};
  return probe;
}

}  // namespace rarefact
