#include <fmt/format.h>

#include "optim/formula/formula.hpp"

namespace rarefact::rules {

namespace {

Parameter decay(const char* name, const char* symbol, const char* meaning, double value) {
  return {.name = name,
          .kind = Kind::number,
          .meaning = meaning,
          .default_value = value,
          .legal = {.low = 0, .high = 1, .high_open = true},
          .symbol = symbol};
}

/// The average of `of` with decay β, divided by 1 - β^t, as a formula; without memory `of` itself.
std::string corrected_average(ParameterValues& values, const std::string& state, const std::string& of,
                              const std::string& beta, double value) {
  if (value == 0) return of;
  values.set("param." + beta, value);
  values.set("state." + state, fmt::format("{0}*{1} + (1 - {0})*{2}", beta, state, of));
  return fmt::format("{1}/(1 - {0}**t)", beta, state);
}

/// Formulas store sums of squares as their roots, so gradients of 1e-200 do not vanish in v.
ParameterValues adam_definitions(const ParameterValues& parameters) {
  ParameterValues values;
  const double epsilon = parameters.number("epsilon");
  const std::string m = corrected_average(values, "m", "G", "beta1", parameters.number("beta1")),
                    v = corrected_average(values, "v", "G**2", "beta2", parameters.number("beta2"));
  if (epsilon > 0) values.set("param.epsilon", epsilon);
  values.set("direction", fmt::format("{}/(sqrt({}){})", m, v, epsilon > 0 ? " + epsilon" : ""));
  return values;
}

}  // namespace

OptimizerRow adam() {
  return formula_row(
      {.name = "adam",
       .summary = "Adam, bias-corrected, ε outside the root",
       .formula = "m ← β₁m + (1-β₁)∇L, v ← β₂v + (1-β₂)∇L², D = m̂/(√v̂ + ε), entrywise; 0/0 = 0",
       .source = "wang2025, section 5 (β₁ = β₂ = ε = 0 is signgd)",
       .parameters = {decay("beta1", "β₁", "β₁: decay of the first moment", 0.9),
                      decay("beta2", "β₂", "β₂: decay of the second moment", 0.999),
                      {.name = "epsilon",
                       .meaning = "ε, added to √v̂",
                       .default_value = 1e-8,
                       .legal = {.low = 0},
                       .symbol = "ε"}}},
      adam_definitions);
}

}  // namespace rarefact::rules
