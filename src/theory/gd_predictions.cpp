/// Predictions of gradient descent: step by step, and in the limit of small steps.

#include "core/compensated_sum.hpp"
#include "model/margin.hpp"
#include "theory/margin_paths.hpp"
#include "theory/prediction.hpp"
#include "theory/sharpness.hpp"

namespace rarefact {

namespace {

Objection require_few_steps(const PredictionInput& input) {
  if (!input.many_steps) return std::nullopt;
  return "the recursion goes step by step, at most 1e6 of them";
}

/// The effective probability of a group in training, which replaces p in the motion of a right logit: each of R right
/// answers has the share p/R.
template <class Real>
Real moving_probability(const PredictionInput& input, std::size_t group) {
  Real p = input.training(group);
  if (input.answers.empty()) return p;
  return p / Real(input.answers[group].right);
}

/// The state is the margin if α = 0, where π₁ - p̂ is the error, and otherwise the distance to the optimum.
/// Both resolve late steps, where the difference π₁ - p̂ would be rounding noise.
template <class Real>
MarginsOf<Real> recursion(const PredictionInput& input, std::span<const std::int64_t> steps) {
  const std::vector<Real> total = answers_for_each_right<Real>(input);
  const Real noise = input.label_noise;
  const std::size_t groups = total.size();
  std::vector<Real> rate(groups), optimum(groups), state(groups, Real(0)), left_out = state;
  for (std::size_t i = 0; i < groups; ++i) {
    rate[i] = margin_speed<Real>(moving_probability<Real>(input, i), total[i]);
    optimum[i] = optimal_margin<Real>(total[i], noise);
    if (noise != 0) state[i] = optimum[i];
  }
  MarginsOf<Real> table;
  table.reserve(steps.size() * groups);
  std::int64_t done = 0;
  for (const std::int64_t step : steps) {
    for (; done < step; ++done) {
      const Real step_size = step_size_at<Real>(input, done);
      for (std::size_t i = 0; i < groups; ++i) {
        const Real speed = noise == 0 ? error_of_margin<Real>(state[i], total[i])
                                      : Real(-shortfall_at_distance<Real>(state[i], total[i], noise));
        add_carried<Real>(state[i], left_out[i], step_size * rate[i] * speed);
      }
    }
    for (std::size_t i = 0; i < groups; ++i)
      table.push_back(noise == 0
                          ? PredictedMargin<Real>{state[i], optimum[i]}
                          : PredictedMargin<Real>{Real((optimum[i] - state[i]) - left_out[i]), state[i]});
  }
  return table;
}

template <class Real>
MarginsOf<Real> flow(const PredictionInput& input, std::span<const std::int64_t> steps) {
  MarginsOf<Real> table;
  const std::vector<Real> total = answers_for_each_right<Real>(input);
  table.reserve(steps.size() * total.size());
  for (const std::int64_t step : steps) {
    const Real time = step_size_at<Real>(input) * static_cast<Real>(step);
    for (std::size_t i = 0; i < total.size(); ++i) {
      table.push_back(
          flow_margin<Real>(moving_probability<Real>(input, i), total[i], input.label_noise, time));
    }
  }
  return table;
}

}  // namespace

PredictionRow gd_recursion() {
  PredictionRow row;
  row.name = "gd-recursion";
  row.summary = "margin of every class under gradient descent, step by step";
  row.formula =
      "m <- m + η p (K/(K-1)) (π₁ - p̂(m)), m = 0 at the start; with R right answers K/(R(K-R)) replaces K/(K-1)";
  row.source = "li2026, Theorem 4.1 (its discrete steps, exactly; derived in docs/closed-forms.md)";
  row.validity =
      "exact for rule gd, orthonormal embeddings, population gradients, any uniform label noise and any constant "
      "step size; queries may share answers, and have several that are equally likely; at most 1e6 steps";
  row.rules = {"gd"};
  row.hypotheses = {require_few_steps, require_population, require_orthonormal};
  row.margins = {recursion<double>, recursion<Real50>};
  row.sharpness = {sharpness_of_gd<double>, sharpness_of_gd<Real50>};
  return row;
}

PredictionRow gd_flow() {
  PredictionRow row;
  row.name = "gd-flow";
  row.summary = "margin of every class under gradient flow, the limit of small steps";
  row.formula =
      "α = 0: m = c - W₀(e^c/(K-1)), c = (p K t + 1)/(K-1); α > 0: t = ((K-1)/(p K)) [m/π₁ - (1/π₁ + "
      "1/(1-π₁)) ln((π₁(K-1) - (1-π₁)e^m)/(π₁(K-1) - (1-π₁)))]; t = η x steps";
  row.source =
      "li2026, Theorem 4.1 (the limit of small steps, solved exactly; derived in docs/closed-forms.md)";
  row.variant = "flow";
  row.validity =
      "rule gd, orthonormal embeddings, population gradients, constant step size, any uniform label noise; exact "
      "for η -> 0, the margin's error at time t is O(η p); answer laws as for gd-recursion: K/R for K, p/R for p";
  row.rules = {"gd"};
  row.hypotheses = {require_population, require_orthonormal};
  row.margins = {flow<double>, flow<Real50>};
  return row;
}

}  // namespace rarefact
