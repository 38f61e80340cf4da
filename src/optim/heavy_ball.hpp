#pragma once

/// B <- μ B + g ∇L, then D = B or, with Nesterov, D = g ∇L + μ B. g = 1 makes B a sum of gradients, g = 1-μ
/// an average: the same direction, 1-μ times as long.

#include "rarefact/catalogue.hpp"

namespace rarefact {

/// Definitions of a heavy ball of the formula `of`, and the formula of D.
struct HeavyBallDefinitions {
  ParameterValues values;
  std::string shown;
};
inline HeavyBallDefinitions heavy_ball_definitions(const ParameterValues& parameters, const std::string& of) {
  if (parameters.number("momentum") == 0) return {{}, of};
  const std::string gain = (parameters.text("momentum_kind") == "average" ? "(1 - mu)*" : "") + of;
  return {{{"param.mu", parameters.number("momentum")}, {"state.B", "mu*B + " + gain}},
          parameters.boolean("nesterov") ? gain + " + mu*B" : "B"};
}

inline std::vector<Parameter> heavy_ball_parameters(double default_momentum) {
  return {{.name = "momentum",
           .kind = Kind::number,
           .meaning = "μ: how much of the memory B of past gradients a step keeps; 0 keeps none",
           .default_value = default_momentum,
           .legal = {.low = 0, .high = 1, .high_open = true},
           .symbol = "μ"},
          {.name = "nesterov",
           .kind = Kind::boolean,
           .meaning = "look ahead: ∇L + μB instead of B; (1-μ)∇L + μB if B is an average",
           .default_value = false},
          {.name = "momentum_kind",
           .kind = Kind::text,
           .meaning = "sum: B ← μB + ∇L; average: B ← μB + (1-μ)∇L",
           .default_value = "sum",
           .choices = {"sum", "average"}}};
}

}  // namespace rarefact
