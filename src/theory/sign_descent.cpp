#include "model/margin.hpp"
#include "theory/closed_forms.hpp"
#include "theory/hypotheses.hpp"
#include "theory/sign_walk.hpp"

namespace rarefact {

namespace {

/// signgd takes its signs in the coordinates of W, which are the task's own only where E = Ẽ = I.
Objection require_task_basis(const PredictionInput& input) {
  if (input.rule == "signgd" && !input.identity) {
    return "signgd depends on the coordinates, the prediction is for identity embeddings";
  }
  return require_orthonormal(input);
}

Objection objection(const PredictionInput& input) {
  return first_objection({require_rule(input, {"tra_signgd", "signgd"}), require_plain(input, {}),
                          require_population(input), require_task_basis(input)});
}

template <class Real>
MarginsOf<Real> margins(const PredictionInput& input, std::span<const std::int64_t> steps) {
  const std::size_t groups = input.class_probability.size();
  const Real optimum = optimal_margin<Real>(class_total<Real>(input), input.label_noise);
  MarginsOf<Real> table;
  table.reserve(steps.size() * groups);
  for (const std::int64_t step : steps) {
    // The right logit goes up by η and every wrong one down by η: the margin moves by 2η.
    table.insert(table.end(), groups, sign_walk<Real>(2 * input.step_size, optimum, step));
  }
  return table;
}

}  // namespace

PredictionRow sign_descent() {
  PredictionRow row;
  row.name = "sign-descent";
  row.summary = "one margin for all classes under the sign of the task-basis gradient";
  row.formula = "m <- m + 2η sign(m* - m), m = 0 at the start, m* = ln(π₁(K-1)/(1-π₁)), sign(0) = 0";
  row.source = "li2026, Theorem 6.3";
  row.variant = "";
  row.validity =
      "exact for rule tra_signgd with orthonormal embeddings and for rule signgd with identity embeddings, "
      "population "
      "gradients, constant step size, any label noise";
  row.objection = objection;
  row.margins = margins<double>;
  row.margins50 = margins<Real50>;
  return row;
}

}  // namespace rarefact
