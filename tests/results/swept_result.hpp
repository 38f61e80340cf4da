#pragma once

// A swept result made by hand: two exponents, two sizes and three seeds by three optimizers, with everything
// that makes tables hard. Of the first seed, with size s and steps 0, 1, 10, 100, 1000000:
//
//   gd_1     error of the tail 0.9 at every step: never below 0.1
//   muon     error of the tail 0.5/exponent at step 0, a tenth of that at every later record
//   sgd η=1  diverged after step 10; at exponent 2 in seed 0 alone
//
// The error of the head is half that of the tail, loss is the error of the tail times (10 + seed), and
// loss_predicted, of muon alone, is twice the loss.

#include "results/sample_result.hpp"

namespace rarefact {

inline Trajectory swept_trajectory(const std::string& label, double exponent, double seed,
                                   const std::vector<std::int64_t>& steps) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Trajectory trajectory;
  trajectory.optimizer = label;
  trajectory.engine = "columns";
  trajectory.engine_reason =
      "[50 %] of guess_work & more: ~^\\{}$#<>|\" αβγδεζηθκλμνξπρστφχψω ΔΣΩ ₀₁₂ ²³ ∞ ≤ ≥ ± × · → − é "
      "∇∂∈∝ℓ′⊗⟨⟩≠₃⁹";
  const bool diverges = label == "sgd η=1" && (exponent == 1.5 || seed == 0);
  trajectory.status = diverges ? "diverged" : "complete";
  trajectory.status_step = diverges ? 10 : steps.back();
  for (const std::int64_t step : steps) {
    const double muon = step == 0 ? 0.5 / exponent : 0.05 / exponent;
    const double tail = diverges && step > 10 ? nan : label == "muon" ? muon : 0.9;
    auto& series = trajectory.series;
    for (const double part : {0.5, 1.0}) {
      series["error"].push_back(part * tail);
      series["class_loss"].push_back(part * tail);
    }
    series["loss"].push_back(tail * (10 + seed));
    series["excess_loss"].push_back(tail * 1e-12);
    series["gap"].push_back(0);
    series["loss_predicted"].push_back(label == "muon" ? 2 * tail * (10 + seed) : nan);
  }
  return trajectory;
}

inline Result swept_result() {
  Result result;
  result.title = "swept";
  result.experiment =
      "name = \"swept\"\nclasses = {spectrum = \"grouped_power_law\", groups = 2, group_size = 10, exponent = 2}\n"
      "run = {steps = 1000000}\n"
      "optimizer = [{rule = \"gd\", name = \"gd_1\", step_size = 1}, {rule = \"muon\", name = \"muon\", step_size = 1},\n"
      "  {rule = \"gd\", name = \"sgd η=1\", step_size = 1}]\n";
  result.steps = {0, 1, 10, 100, 1000000};
  result.optimizers = {"gd_1", "muon", "sgd η=1"};
  result.variables = sample_variables();
  result.variables.back() = {.name = "loss_predicted",
                             .long_name = "predicted loss",
                             .units = "nat",
                             .source = "s",
                             .validity = "v"};
  for (const double exponent : {1.5, 2.0}) {
    for (const double size : {1e12, 10.0}) {
      for (const double seed : {0.0, 1.0, 2.0}) {
        Run run;
        run.index = static_cast<std::int64_t>(result.runs.size());
        run.parameters = {{"classes.exponent", exponent}, {"classes.group_size", size}, {"seed", seed}};
        run.class_count = {size, size};
        run.class_probability = {0.75 / size, 0.25 / size};
        run.class_log_rank = {std::log((size + 1) / 2), std::log(size + (size + 1) / 2)};
        for (const std::string& label : result.optimizers)
          run.trajectories.push_back(swept_trajectory(label, exponent, seed, result.steps));
        result.runs.push_back(run);
      }
    }
  }
  return result;
}

}  // namespace rarefact
