#include "optim/formula/formula.hpp"
#include "optim/heavy_ball.hpp"

namespace rarefact::rules {

namespace {

ParameterValues momentum_definitions(const ParameterValues& parameters) {
  auto [values, direction] = heavy_ball_definitions(parameters, "G");
  values.set("direction", direction);
  return values;
}

MarginRecursion margins_of(const ParameterValues& parameters) {
  const double mu = parameters.number("momentum");
  return {.momentum = mu,
          .gain = parameters.text("momentum_kind") == "average" ? 1 - mu : 1,
          .nesterov = parameters.boolean("nesterov")};
}

}  // namespace

OptimizerRow momentum() {
  OptimizerRow row =
      formula_row({.name = "momentum",
                   .summary = "Gradient descent with heavy-ball or Nesterov momentum",
                   .formula = "B ← μB + ∇L; D = B, nesterov: ∇L + μB (average: (1-μ)∇L instead of ∇L)",
                   .source = "",
                   .parameters = heavy_ball_parameters(0.9)},
                  momentum_definitions);
  row.margins = margins_of;
  return row;
}

}  // namespace rarefact::rules
