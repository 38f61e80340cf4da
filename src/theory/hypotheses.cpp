#include <algorithm>

#include "theory/prediction.hpp"

namespace rarefact {

bool constant_steps(const PredictionInput& input) {
  return input.schedule.constant() && input.schedule.decay == 0;
}

Objection PredictionRow::objection(const PredictionInput& input) const {
  if (input.factors != factors)
    return factors == 1 ? "W is a product of two factors, and the prediction is for one matrix"
                        : "W is one matrix, and the prediction is for a product of two factors";
  if (input.start != 0.0 && !(any_start && input.start))
    return "the run starts elsewhere than at W = 0 (init.kind), and the prediction starts there";
  if (!any_steps && !constant_steps(input))
    return "step sizes change or W decays, and the prediction is for neither";
  if (input.schedule.coupled && input.schedule.decay != 0 && input.rule != "gd" && !first_step)
    return "the rule sees the decay of W, and the prediction is for decoupled decay";
  if (std::ranges::find(rules, input.rule) == rules.end())
    return fmt::format("the rule is {}, the prediction is for {}", input.rule, joined(rules, " or "));
  for (const auto& [key, value] : input.parameters.all()) {
    const auto known = std::ranges::find(tolerated, key, &Tolerated::parameter);
    if (known == tolerated.end()) return fmt::format("the prediction does not account for {}", key);
    if (known->neutral && value != *known->neutral)
      return fmt::format("{} is {}, the prediction is for {}", key, to_toml(value), to_toml(*known->neutral));
  }
  for (const HypothesisTest hypothesis : hypotheses)
    if (Objection found = hypothesis(input)) return found;
  return std::nullopt;
}

Objection require_population(const PredictionInput& input) {
  if (!input.population) return "gradients are sampled, the prediction is for the population";
  if (input.class_total < 2) return "a margin needs at least two classes";
  if (!input.equal_answers) return "a query has answers that are not all right and equally likely";
  if (!input.even_noise && input.label_noise > 0)
    return "label noise draws some answers more often, the prediction is for uniform noise";
  return std::nullopt;
}

Objection require_few_steps(const PredictionInput& input) {
  return unless(!input.many_steps, "the recursion goes step by step, at most 1e6 of them");
}

Objection require_few_moving_steps(const PredictionInput& input) {
  return constant_steps(input) ? std::nullopt : require_few_steps(input);
}

Objection require_own_answers(const PredictionInput& input) {
  return unless(input.answers.empty(), "queries share answers, the prediction is for one answer per query");
}

Objection require_alike_components(const PredictionInput& input) {
  if (input.answers.empty()) return "every query has its own answer, the prediction is for an answer law";
  if (input.alike_components) return std::nullopt;
  return "the queries, or the answers, of a component are not identical";
}

Objection require_orthonormal(const PredictionInput& input) {
  return unless(input.orthonormal, "the embeddings are not orthonormal, so classes interact");
}

Objection require_task_basis(const PredictionInput& input) {
  if ((input.rule == "signgd" || input.rule == "adam") && !input.identity)
    return input.rule + " depends on the coordinates, the prediction is for identity embeddings";
  return require_orthonormal(input);
}

Objection require_contrasts(const PredictionInput& input) {
  if (input.orthonormal) return std::nullopt;
  if (!input.equicorrelated) return require_orthonormal(input);
  if (input.query_cosine == 0 || input.class_probability.empty()) return std::nullopt;
  const auto [least, most] = std::ranges::minmax(input.class_probability);
  if (input.sampling(least) == input.sampling(most) && input.answers.empty()) return std::nullopt;
  return "the queries are correlated, so classes interact";
}

Objection require_independent(const PredictionInput& input) {
  return unless(input.independent,
                "the embeddings are not known to be linearly independent, so classes interact");
}

Objection require_noiseless(const PredictionInput& input) {
  return unless(input.label_noise == 0, "the prediction is for label noise 0");
}

Objection require_noise(const PredictionInput& input) {
  return unless(input.label_noise > 0, "the prediction is for label noise above 0");
}

const std::vector<Tolerated>& plain_muon() {
  static const std::vector<Tolerated> parameters{
      {"momentum", 0.0},         {"nesterov"},       {"momentum_kind"},          {"momentum_order"},
      {"polar", Value("exact")}, {"smoothing", 0.0}, {"lr_scale", Value("none")}};
  return parameters;
}

}  // namespace rarefact
