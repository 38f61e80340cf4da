// Queries that are sums of a subject and a relation, all equally likely: two recursions that do not see each other.

#include <cmath>

#include "model/margin.hpp"
#include "theory/prediction.hpp"

namespace rarefact {

namespace {

Objection require_attributes(const PredictionInput& input) {
  if (input.attributes) return std::nullopt;
  return "queries are not sums of equally likely subjects and relations";
}

/// x, the difference that the right value of an attribute makes to a logit, under gd or Muon; then m with
/// p̂ = (1-e_S)(1-e_R).
template <class Real, bool polar>
MarginsOf<Real> margins(const PredictionInput& input, std::span<const std::int64_t> steps) {
  using std::exp, std::log, std::sqrt;
  const auto& [count, gain] = *input.attributes;
  const Real total = class_total<Real>(input);
  std::array<Real, 2> x = {Real(0), Real(0)}, odds = {};
  MarginsOf<Real> table;
  std::int64_t t = 0;
  for (const std::int64_t step : steps) {
    for (;; ++t) {
      for (const std::size_t a : {0, 1}) odds[a] = (Real(count[a]) - 1) * exp(Real(-x[a]));
      if (t == step) break;
      const Real eta = step_size_at<Real>(input, t), kept = 1 - eta * Real(input.schedule.at<Real>(t).decay);
      for (const std::size_t a : {0, 1}) {
        const Real b(gain[a]), values(count[a]), others(count[1 - a]),
            pull = polar ? Real((gain[a] < 0 ? -b : b) / sqrt(others))
                         : Real(b * b * odds[a] / (1 + odds[a]) / ((values - 1) * others));
        x[a] = kept * x[a] + eta * pull;
      }
    }
    const Real margin = log(Real(total - 1)) - log(Real(odds[0] + odds[1] + odds[0] * odds[1]));
    table.push_back({margin, distance_to_optimum<Real>(margin, total, Real(0))});
  }
  return table;
}

PredictionRow row_of(const std::string& rule, const std::string& pull, const std::string& of_rule) {
  PredictionRow row;
  row.name = "attributes-" + rule;
  row.summary =
      "subjects and relations that are equally likely, learned by " + of_rule + " without seeing each other";
  row.formula = "x_S <- (1 - η_t λ) x_S + η_t " + pull +
                ", and x_R with S and R exchanged; e_S = 1/(1 + e^{x_S}/(S-1)), p̂ = (1-e_S)(1-e_R)";
  row.source = "rarefact2026, docs/variants.md, \"Queries made of attributes\"";
  row.validity =
      "rule " + rule + (rule == "muon" ? " with the exact polar factor, momentum 0 and lr_scale none" : "") +
      ", queries that are sums of equally likely subjects and equally likely relations with fixed gains, orthonormal "
      "answers, population gradients, label noise 0, any step sizes and decoupled decay; exact; at most 1e6 steps";
  row.rules = {rule};
  row.any_steps = true;
  row.hypotheses = {require_attributes, require_few_steps, require_population, require_own_answers,
                    require_noiseless};
  return row;
}

}  // namespace

PredictionRow attributes_gd() {
  PredictionRow row = row_of("gd", "b_S² e_S/((S-1) R)", "gradient descent");
  row.margins = {margins<double, false>, margins<Real50, false>};
  return row;
}

PredictionRow attributes_muon() {
  PredictionRow row = row_of("muon", "|b_S|/√R", "Muon");
  row.tolerated = plain_muon();
  row.margins = {margins<double, true>, margins<Real50, true>};
  return row;
}

}  // namespace rarefact
