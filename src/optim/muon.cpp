#include <fmt/format.h>

#include <cmath>

#include "algebra/polar_variants.hpp"
#include "optim/formula/formula.hpp"
#include "optim/heavy_ball.hpp"

namespace rarefact::rules {

namespace {

/// The name of the polar factor; empty for a list of coefficients.
std::string polar_name(const ParameterValues& parameters) {
  const auto* name = std::get_if<std::string>(&parameters.all().at("polar"));
  return name ? *name : "";
}

std::vector<Quintic> given_triples(const std::vector<double>& numbers) {
  std::vector<Quintic> steps;
  for (std::size_t i = 0; i < numbers.size(); i += 3)
    steps.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
  return steps;
}

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
       .kind = Kind::triples,
       .meaning =
           "the polar factor. exact: msgn, singular values 0 or 1. newton_schulz: X ← aX + b(XXᵀ)X + "
           "c(XXᵀ)²X with (3.4445, -4.7750, 2.0315), X₀ = B/(‖B‖_F + δ). polar_express: ten such steps "
           "with coefficients of their own, X₀ = B/(1.01‖B‖_F + δ). A list: steps with these "
           "coefficients, X₀ as newton_schulz. In double precision, where practice has bfloat16",
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
                  "absent: 5 of newton_schulz, all ten of polar_express, the whole list",
       .legal = {.low = 1, .high = max_polar_steps},
       .optional = true},
      {.name = "polar_delta",
       .kind = Kind::number,
       .meaning =
           "δ of the polynomial, in units of the gradient: once ‖B‖_F is below it, updates shrink with the "
           "gradient; absent: 1e-7",
       .legal = {.low = 0},
       .optional = true,
       .symbol = "δ"},
      {.name = "lr_scale",
       .kind = Kind::text,
       .meaning = "factor of the step, W being d_out x d_in; original: √max(1, d_out/d_in); "
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
  const bool exact = polar_name(parameters) == "exact";
  if (!exact && parameters.number("smoothing") > 0)
    return {{.message =
                 "smoothing is of the exact polar factor, and polar chooses a polynomial; omit one of them"}};
  std::vector<ParameterProblem> problems;
  for (const auto& [key, what] : {std::pair("polar_steps", "steps"), std::pair("polar_delta", "δ")}) {
    if (exact && parameters.has(key))
      problems.push_back({.message = fmt::format(
                              "{} is for polynomials, and the exact polar factor has no {}; expected polar = "
                              "\"newton_schulz\", \"polar_express\" or a list of triples with it",
                              key, what)});
  }
  return problems;
}

/// λ and δ are absolute. Singular values far below λ, or below ‖B‖_F over the product of the steps' a, are
/// only multiplied, so entries that underflow would have no effect.
Symmetries symmetries_with(const ParameterValues& parameters) {
  const bool exact = polar_name(parameters) == "exact" && parameters.number("smoothing") == 0;
  const bool relative = parameters.has("polar_delta") && parameters.number("polar_delta") == 0;
  return {.answers_rotate = true,
          .queries_rotate = true,
          .scale_invariant = exact || relative,
          .amplifies_small_entries = exact};
}

/// [[a, b, c], ...].
std::string list_text(const std::vector<Quintic>& steps) {
  std::string text;
  for (const auto& [a, b, c] : steps)
    text += fmt::format("{}[{}, {}, {}]", text.empty() ? "" : ", ", a, b, c);
  return "[" + text + "]";
}

/// The polar factor of the formula `of`, as a formula.
std::string polar_text(const ParameterValues& parameters, const std::string& of) {
  const std::string name = polar_name(parameters);
  if (name == "exact") {
    const double smoothing = parameters.number("smoothing");
    return smoothing > 0 ? fmt::format("smooth_polar({}, {})", of, smoothing) : fmt::format("polar({})", of);
  }
  const std::vector<Quintic> list =
      name.empty() ? given_triples(parameters.numbers("polar")) : std::vector<Quintic>();
  const std::size_t all = name.empty()              ? list.size()
                          : name == "newton_schulz" ? newton_schulz_default_steps
                                                    : polar_express_steps().size();
  const auto steps =
      parameters.has("polar_steps") ? static_cast<std::size_t>(parameters.integer("polar_steps")) : all;
  const std::string delta =
      parameters.has("polar_delta") ? fmt::format(", {}", parameters.number("polar_delta")) : "";
  return name.empty() ? fmt::format("quintic({}, {}{})", of, list_text(taken_steps(list, steps)), delta)
                      : fmt::format("{}({}, {}{})", name, of, steps, delta);
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
      {.answers_rotate = true,
       .queries_rotate = true,
       .scale_invariant = true,
       .amplifies_small_entries = true},
      definitions);
  row.symmetries_with = symmetries_with;
  row.problems = problems;
  return row;
}

}  // namespace rarefact::rules
