#include <fmt/format.h>

#include "algebra/polar_variants.hpp"
#include "optim/formula/formula.hpp"
#include "optim/heavy_ball.hpp"

namespace rarefact::rules {

namespace {

/// True if polar factors are averaged, instead of gradients.
bool after(const ParameterValues& parameters) {
  return parameters.text("momentum_order") == "after";
}

ParameterValues averaging(ParameterValues parameters) {
  parameters.set("momentum_kind", "average");
  return parameters;
}

std::vector<Parameter> polar_parameters() {
  return {
      {.name = "polar",
       .kind = Kind::text,
       .meaning =
           "the polar factor. exact: msgn, singular values 0 or 1. newton_schulz: X ← aX + b(XXᵀ)X + "
           "c(XXᵀ)²X with (3.4445, -4.7750, 2.0315), X₀ = B/(‖B‖_F + 1e-7). polar_express: ten such steps "
           "with coefficients of their own, X₀ = B/(1.01‖B‖_F + 1e-7). In double precision, where practice "
           "has bfloat16; quintic in a formula takes any coefficients and another 1e-7",
       .default_value = "exact",
       .choices = {"exact", "newton_schulz", "polar_express"}},
      {.name = "smoothing",
       .kind = Kind::number,
       .meaning = "λ: singular values become σ/√(σ²+λ²), in units of the gradient; 0: msgn. With polar = "
                  "\"exact\" only",
       .default_value = 0.0,
       .legal = {.low = 0},
       .symbol = "λ"},
      {.name = "polar_steps",
       .kind = Kind::integer,
       .meaning = "steps of the polynomial, the last coefficients repeated beyond the end of their list; "
                  "absent: 5 of newton_schulz, all ten of polar_express",
       .legal = {.low = 1, .high = max_polar_steps},
       .optional = true},
      {.name = "lr_scale",
       .kind = Kind::text,
       .meaning =
           "factor of the step, W or each of its factors being d_out x d_in; original: √max(1, d_out/d_in); "
           "match_rms_adamw: 0.2 √max(d_out, d_in)",
       .default_value = "none",
       .choices = {"none", "original", "match_rms_adamw"}},
      {.name = "momentum_order",
       .kind = Kind::text,
       .meaning = "before: D is the polar factor of the momentum. after: D is an average of polar factors, "
                  "B ← μB + (1-μ) msgn(∇L); momentum_kind then changes nothing",
       .default_value = "before",
       .choices = {"before", "after"}}};
}

std::vector<ParameterProblem> problems(const ParameterValues& parameters) {
  const bool exact = parameters.text("polar") == "exact";
  if (!exact && parameters.number("smoothing") > 0)
    return {{.message =
                 "smoothing needs the exact polar factor, and polar chooses a polynomial; omit one of them"}};
  if (exact && parameters.has("polar_steps"))
    return {{.message =
                 "polar_steps is for polynomials, and the exact polar factor has no steps; expected polar = "
                 "\"newton_schulz\" or \"polar_express\" with it"}};
  return {};
}

/// The polar factor of the formula `of`, as a formula.
std::string polar_text(const ParameterValues& parameters, const std::string& of) {
  const std::string& name = parameters.text("polar");
  if (name == "exact") {
    const double smoothing = parameters.number("smoothing");
    return smoothing > 0 ? fmt::format("smooth_polar({}, {})", of, smoothing) : fmt::format("polar({})", of);
  }
  const std::size_t all =
      name == "newton_schulz" ? newton_schulz_default_steps : polar_express_steps().size();
  const auto steps =
      parameters.has("polar_steps") ? static_cast<std::size_t>(parameters.integer("polar_steps")) : all;
  return fmt::format("{}({}, {})", name, of, steps);
}

ParameterValues definitions(const ParameterValues& parameters) {
  const std::string scale = parameters.text("lr_scale");
  const char* factor = scale == "original"          ? "sqrt(maximum(1, d_out/d_in))*"
                       : scale == "match_rms_adamw" ? "0.2*sqrt(maximum(d_out, d_in))*"
                                                    : "";
  if (after(parameters)) {
    auto [values, shown] = heavy_ball_definitions(averaging(parameters), polar_text(parameters, "G"));
    values.set("direction", *factor ? fmt::format("{}({})", factor, shown) : shown);
    return values;
  }
  auto [values, shown] = heavy_ball_definitions(parameters, "G");
  values.set("direction", factor + polar_text(parameters, shown));
  return values;
}

}  // namespace

OptimizerRow muon() {
  std::vector<Parameter> parameters = heavy_ball_parameters(0);
  for (Parameter& parameter : polar_parameters()) parameters.push_back(std::move(parameter));
  OptimizerRow row = formula_row(
      {.name = "muon",
       .summary = "Muon: the polar factor of the momentum, exact or as practice approximates it",
       .formula = "D = msgn(B), B ← μB + ∇L; msgn(UΣVᵀ) = U_r V_rᵀ over the nonzero singular values",
       .source = "wang2025; li2026; smoothing: kim2026",
       .parameters = std::move(parameters)},
      definitions);
  row.problems = problems;
  row.of_gains = "ngd";
  return row;
}

}  // namespace rarefact::rules
