#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "theory/prediction.hpp"

namespace rarefact {

namespace {

/// True for equal values; 0 and 0.0 are equal.
bool same(const Value& a, const Value& b) {
  const auto number = [](const Value& value) -> std::optional<double> {
    if (const auto* i = std::get_if<std::int64_t>(&value)) return static_cast<double>(*i);
    if (const auto* x = std::get_if<double>(&value)) return *x;
    return std::nullopt;
  };
  const auto x = number(a), y = number(b);
  return x && y ? *x == *y : a == b;
}

}  // namespace

Objection first_objection(std::initializer_list<Objection> objections) {
  for (const Objection& objection : objections) {
    if (objection) return objection;
  }
  return std::nullopt;
}

Objection require_rule(const PredictionInput& input, const std::vector<std::string>& rules) {
  if (input.schedule != "constant")
    return fmt::format("the schedule of step sizes is {}, the prediction is for constant", input.schedule);
  if (std::find(rules.begin(), rules.end(), input.rule) != rules.end()) return std::nullopt;
  return fmt::format("the rule is {}, the prediction is for {}", input.rule, joined(rules, " or "));
}

Objection require_population(const PredictionInput& input) {
  if (!input.population) return "gradients are sampled, the prediction is for the population";
  if (input.class_total < 2) return "a margin needs at least two classes";
  if (!input.equal_answers) return "a query has answers that are not all right and equally likely";
  if (!input.even_noise && input.label_noise > 0)
    return "label noise draws some answers more often, the prediction is for uniform noise";
  return std::nullopt;
}

Objection require_own_answers(const PredictionInput& input) {
  if (input.answers.empty()) return std::nullopt;
  return "queries share answers, the prediction is for one answer per query";
}

Objection require_alike_units(const PredictionInput& input) {
  if (input.answers.empty()) return "every query has its own answer, the prediction is for an answer law";
  if (input.alike_units) return std::nullopt;
  return "the queries, or the answers, of a component are not identical";
}

Objection require_orthonormal(const PredictionInput& input) {
  if (input.orthonormal) return std::nullopt;
  return "the embeddings are not orthonormal, so classes interact";
}

Objection require_independent(const PredictionInput& input) {
  if (input.independent) return std::nullopt;
  return "the embeddings are not known to be linearly independent, so classes interact";
}

Objection require_noiseless(const PredictionInput& input) {
  if (input.label_noise == 0) return std::nullopt;
  return "the prediction is for label noise 0";
}

Objection require_noise(const PredictionInput& input) {
  if (input.label_noise > 0) return std::nullopt;
  return "the prediction is for label noise above 0";
}

Objection require_plain(const PredictionInput& input, const std::vector<Tolerated>& tolerated) {
  for (const auto& [name, value] : input.parameters.all()) {
    const auto known =
        std::find_if(tolerated.begin(), tolerated.end(),
                     [&name = name](const Tolerated& candidate) { return candidate.parameter == name; });
    if (known == tolerated.end()) return fmt::format("the prediction does not account for {}", name);
    if (known->neutral && !same(value, *known->neutral)) {
      return fmt::format("{} is {}, the prediction is for {}", name, to_toml(value),
                         to_toml(*known->neutral));
    }
  }
  return std::nullopt;
}

const std::vector<Tolerated>& plain_muon() {
  static const std::vector<Tolerated> parameters{
      {"momentum", 0.0},         {"nesterov"},       {"momentum_kind"},          {"momentum_order"},
      {"polar", Value("exact")}, {"smoothing", 0.0}, {"lr_scale", Value("none")}};
  return parameters;
}

}  // namespace rarefact
