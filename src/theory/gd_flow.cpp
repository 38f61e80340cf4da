#include "theory/closed_forms.hpp"
#include "theory/column_flow.hpp"
#include "theory/hypotheses.hpp"

namespace rarefact {

namespace {

Objection objection(const PredictionInput& input) {
  return first_objection({require_rule(input, {"gd"}), require_plain(input, {}), require_population(input),
                          require_orthonormal(input)});
}

template <class Real>
MarginsOf<Real> margins(const PredictionInput& input, std::span<const std::int64_t> steps) {
  MarginsOf<Real> table;
  const Real total = class_total<Real>(input);
  table.reserve(steps.size() * input.class_probability.size());
  for (const std::int64_t step : steps) {
    const Real time = Real(input.step_size) * static_cast<Real>(step);
    for (const double probability : input.class_probability) {
      table.push_back(flow_margin<Real>(probability, total, input.label_noise, time));
    }
  }
  return table;
}

}  // namespace

PredictionRow gd_flow() {
  PredictionRow row;
  row.name = "gd-flow";
  row.summary = "margin of every class under gradient flow, the limit of small steps";
  row.formula =
      "α = 0: m = c - W₀(e^c/(K-1)), c = (p K t + 1)/(K-1); α > 0: t = ((K-1)/(p K)) [m/π₁ - (1/π₁ + "
      "1/(1-π₁)) "
      "ln((π₁(K-1) - (1-π₁)e^m)/(π₁(K-1) - (1-π₁)))]; t = η x steps";
  row.source =
      "li2026, Theorem 4.1 (the limit of small steps, solved exactly; derived in docs/predictions.md)";
  row.variant = "flow";
  row.validity =
      "rule gd, orthonormal embeddings, population gradients, constant step size, any label noise; exact for "
      "η -> 0, the "
      "margin's error at "
      "time t is O(η p)";
  row.objection = objection;
  row.margins = margins<double>;
  row.margins50 = margins<Real50>;
  return row;
}

}  // namespace rarefact
