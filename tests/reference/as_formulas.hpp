#pragma once

/// Rules of the catalogue as formulas, those that are classes as well.

#include "optim/heavy_ball.hpp"
#include "optim/update_rule.hpp"

/// Nothing: no formula says the rule.
inline std::optional<rarefact::ParameterValues> as_formula(const rarefact::OptimizerRow& row,
                                                           const rarefact::ParameterValues& parameters) {
  using namespace rarefact;
  if (row.definitions) return row.definitions(parameters);
  if (row.name == "momentum") {
    auto [values, shown] = heavy_ball_definitions(parameters, "G");
    values.set("direction", shown);
    return values;
  }
  if (row.name != "adam") return {};
  return ParameterValues{{"param.beta1", parameters.number("beta1")},
                         {"param.beta2", parameters.number("beta2")},
                         {"param.epsilon", parameters.number("epsilon")},
                         {"let.m", std::string("ema(G, beta1)/(1 - beta1**t)")},
                         {"let.v", std::string("ema(G**2, beta2)/(1 - beta2**t)")},
                         {"direction", std::string("m/(sqrt(v) + epsilon)")}};
}
