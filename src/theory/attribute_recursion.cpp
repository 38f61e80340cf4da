// Queries that are sums of a subject and a relation, all equally likely: two recursions that do not see each other.

#include "model/log_odds.hpp"
#include "theory/prediction.hpp"

namespace rarefact {

namespace {

Objection require_attributes(const PredictionInput& input) {
  return unless(input.attributes.has_value(),
                "queries are not sums of equally likely subjects and relations");
}

/// W has blocks a/√n' (1[right value] - 1/n) for an attribute of n values beside another of n', and gain b: x = a b/√n' is
/// the difference that the right value makes to a logit. Then m with p̂ = (1-e_S)(1-e_R).
template <class Real, bool polar>
MarginsOf<Real> margins(const PredictionInput& input, std::span<const std::int64_t> steps) {
  using std::abs, std::exp, std::ilogb, std::ldexp, std::log, std::log1p, std::sqrt;
  const auto& [count, gain] = *input.attributes;
  const Real total = class_total<Real>(input), start = rounded<Real>(Real(*input.start), input.rounding);
  std::array<Real, 2> a = {start, start}, b = {Real(gain[0]), Real(gain[1])}, odds = {}, pull = {};
  const Real huge = std::numeric_limits<Real>::max() / Real(4);
  const auto log_odds = [&](std::size_t k) {
    return Real(log(Real(count[k] - 1)) - a[k] * b[k] / sqrt(Real(count[1 - k])));
  };
  MarginsOf<Real> table;
  std::int64_t t = 0;
  for (const std::int64_t step : steps) {
    for (;; ++t) {
      for (const std::size_t k : {0, 1})
        odds[k] = (Real(count[k]) - 1) * exp(Real(-a[k] * b[k] / sqrt(Real(count[1 - k]))));
      if (t == step) break;
      const Real eta = step_size_at<Real>(input, t), kept = 1 - eta * Real(input.schedule.at<Real>(t).decay);
      for (const std::size_t k : {0, 1}) {
        const Real values(count[k]), root = sqrt(Real(count[1 - k])),
                                     error = odds[k] > huge ? Real(1) : Real(odds[k] / (1 + odds[k]));
        pull[k] = a[k] * error / (values * root);
        const Real own = polar ? Real(b[k] < 0 ? -1 : 1) : Real(b[k] * error / ((values - 1) * root));
        a[k] = kept * a[k] + eta * own;
      }
      if (input.factors == 1) continue;
      Real squares(0);  // of the gradients of all gains, in a unit in which they do not vanish
      const Real most = std::max(Real(abs(pull[0])), Real(abs(pull[1])));
      const int unit = polar && most > 0 ? ilogb(most) : 0;
      for (Real& x : pull) x = ldexp(x, -unit);
      for (const std::size_t k : {0, 1}) squares += Real(count[k]) * pull[k] * pull[k];
      if (squares == 0) continue;
      for (const std::size_t k : {0, 1}) b[k] += eta * pull[k] / (polar ? Real(sqrt(squares)) : Real(1));
    }
    const Real sum = odds[0] + odds[1] + odds[0] * odds[1];
    // Odds below the least number, or above the largest, are known by their logarithms. Of tiny ones the product is nothing.
    const Real first = log_odds(0), second = log_odds(1), largest = std::max(first, second);
    const bool tiny = sum < std::numeric_limits<Real>::min();
    const Real log_sum = tiny         ? Real(largest + log1p(exp(Real(-abs(first - second)))))
                         : sum > huge ? Real(softplus(first) + softplus(second))
                                      : Real(log(sum));
    const Real margin = log(Real(total - 1)) - log_sum;
    table.push_back({margin, distance_to_optimum<Real>(margin, total, Real(0))});
  }
  return table;
}

PredictionRow row_of(const std::string& rule, bool trained, const std::string& formula) {
  PredictionRow row{
      {(trained ? "gains-" : "attributes-") + rule,
       std::string("subjects and relations that are equally likely, ") +
           (trained ? "and their gains, " : "with fixed gains, ") + "under " + rule + ", step by step",
       formula +
           ", and with S and R exchanged; x_S = a_S b_S/√R, e_S = 1/(1 + e^{x_S}/(S-1)), p̂ = (1-e_S)(1-e_R)",
       trained ? "li2026c; docs/variants.md" : "rarefact2026, docs/variants.md"}};
  row.validity =
      "rule " + rule + (rule == "muon" ? " with the exact polar factor, momentum 0 and lr_scale none" : "") +
      ", queries that are sums of equally likely subjects and equally likely relations, " +
      (trained ? "trained gains" : "fixed gains") +
      ", W(0) zero or a manifold, orthonormal answers, population gradients, label noise 0, any step sizes" +
      (trained ? "" : " and decoupled decay") + "; exact; at most 1e6 steps";
  row.rules = {rule};
  row.factors = trained ? 2 : 1;
  row.any_steps = row.any_start = true;
  row.hypotheses = {require_attributes, require_few_steps, require_population, require_own_answers,
                    require_noiseless};
  if (rule == "muon") {
    row.tolerated = plain_muon();
    row.margins = {margins<double, true>, margins<Real50, true>};
  } else {
    row.margins = {margins<double, false>, margins<Real50, false>};
  }
  return row;
}

}  // namespace

std::vector<PredictionRow> attribute_predictions() {
  return {row_of("gd", false, "a_S <- (1 - η_t λ) a_S + η_t b_S e_S/((S-1)√R)"),
          row_of("muon", false, "a_S <- (1 - η_t λ) a_S + η_t sign(b_S)"),
          row_of("gd", true, "a_S <- a_S + η_t b_S e_S/((S-1)√R), b_S <- b_S + η_t a_S e_S/(S√R)"),
          row_of("muon", true,
                 "a_S <- a_S + η_t sign(b_S), b_S <- b_S + η_t (a_S e_S/√S)/(a_S² e_S² + a_R² e_R²)^½")};
}

}  // namespace rarefact
