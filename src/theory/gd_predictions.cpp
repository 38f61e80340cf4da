/// Predictions of gradient descent, with momentum or normalised: step by step, and in the limit of small steps.

#include "theory/margin_recursion.hpp"
#include "theory/sharpness.hpp"

namespace rarefact {

namespace {

/// Gradient descent with a heavy ball, B ← μB + g x, or without one.
template <class Real>
MarginsOf<Real> recursion(const PredictionInput& input, std::span<const std::int64_t> steps) {
  const ParameterValues& given = input.parameters;
  const bool ball = given.has("momentum") && given.number("momentum") != 0,
             ahead = ball && given.boolean("nesterov");
  const Real kept = ball ? given.number("momentum") : 0,
             gain = ball && given.text("momentum_kind") == "average" ? Real(1 - kept) : Real(1);
  std::vector<Real> speed = margin_speeds<Real>(input), memory(speed.size(), Real(0));
  for (Real& of_group : speed) of_group *= contrast<Real>(input) * gain;
  return margin_recursion<Real>(input, steps, [&](const std::vector<Real>& x, std::vector<Real>& change) {
    for (std::size_t g = 0; g < x.size(); ++g) {
      const Real fresh = speed[g] * x[g];
      memory[g] = kept * memory[g] + fresh;
      change[g] = ahead ? Real(fresh + kept * memory[g]) : memory[g];
    }
  });
}

/// x in units of the norm of the gradient: its columns are orthogonal, of length p_l x_l (K/(R(K-R)))^½.
template <class Real>
MarginsOf<Real> normalised_recursion(const PredictionInput& input, std::span<const std::int64_t> steps) {
  using std::abs, std::sqrt;
  const std::vector<Real> speed = margin_speeds<Real>(input);
  const Real scale = sqrt(contrast<Real>(input));
  std::vector<Real> root(speed.size()), length(speed.size());
  for (std::size_t g = 0; g < speed.size(); ++g) root[g] = sqrt(Real(Real(input.training(g)) * speed[g]));
  return margin_recursion<Real>(input, steps, [&](const std::vector<Real>& x, std::vector<Real>& change) {
    Real unit(0), squares(0);  // squares alone would underflow
    for (std::size_t g = 0; g < x.size(); ++g) {
      length[g] = root[g] * abs(x[g]);
      if (input.class_count[g] > 0) unit = std::max(unit, length[g]);
    }
    for (std::size_t g = 0; g < x.size() && unit > 0; ++g)
      squares += Real(input.class_count[g]) * (length[g] / unit) * (length[g] / unit);
    for (std::size_t g = 0; g < x.size(); ++g)
      change[g] = unit > 0 ? Real(scale / sqrt(squares) * speed[g] * (x[g] / unit)) : Real(0);
  });
}

template <class Real>
MarginsOf<Real> flow(const PredictionInput& input, std::span<const std::int64_t> steps) {
  MarginsOf<Real> table;
  const std::vector<Real> total = answers_for_each_right<Real>(input);
  table.reserve(steps.size() * total.size());
  for (const std::int64_t step : steps) {
    const Real time = step_size_at<Real>(input) * contrast<Real>(input) * static_cast<Real>(step);
    for (std::size_t i = 0; i < total.size(); ++i) {
      table.push_back(
          flow_margin<Real>(moving_probability<Real>(input, i), total[i], input.label_noise, time));
    }
  }
  return table;
}

}  // namespace

PredictionRow gd_recursion() {
  PredictionRow row{
      {"gd-recursion", "margin of every class under gradient descent, step by step",
       "m <- (1 - η_t λ) m + η_t p (K/(K-1)) (π₁ - p̂(m)), m = 0 at the start, ε if it is aligned; with R right answers K/(R(K-R)) replaces K/(K-1)",
       "li2026, Theorem 4.1 (its discrete steps, exactly; derived in docs/closed-forms.md)"}};
  row.validity =
      "exact for rule gd, orthonormal embeddings, population gradients, any uniform label noise, any step sizes and decay; "
      "queries may share answers, and have several that are equally likely; equicorrelated answers, and equally likely "
      "equicorrelated queries, multiply η by 1-ρ (ngd: by (1-ρ)^½); at most 1e6 steps";
  row.rules = {"gd"};
  row.any_start = row.any_steps = true;
  row.hypotheses = {require_few_steps, require_population, require_contrasts};
  row.margins = {recursion<double>, recursion<Real50>};
  row.sharpness = {sharpness_of_gd<double>, sharpness_of_gd<Real50>};
  return row;
}

PredictionRow momentum_recursion() {
  PredictionRow row = gd_recursion();
  row.name = "momentum-recursion";
  row.summary = "margin of every class under gradient descent with momentum, step by step";
  row.formula =
      "B <- μB + p (K/(K-1)) (π₁ - p̂(m)), m <- m + ηB; nesterov: η (p (K/(K-1)) (π₁ - p̂) + μB); average: (1-μ)p for p";
  row.source = "derived in docs/closed-forms.md";
  row.validity = "exact for rule momentum, any μ, nesterov and momentum_kind; otherwise as gd-recursion";
  row.rules = {"momentum"};
  row.tolerated = {{"momentum"}, {"nesterov"}, {"momentum_kind"}};
  row.sharpness = {};
  return row;
}

PredictionRow ngd_recursion() {
  PredictionRow row = gd_recursion();
  row.name = "ngd-recursion";
  row.summary = "margin of every class under normalised gradient descent, step by step";
  row.formula = "m <- m + η p (K/(K-1)) (π₁ - p̂(m))/n, n² = (K/(K-1)) Σ p² (π₁ - p̂)² over all classes";
  row.source = "derived in docs/closed-forms.md";
  row.validity = "exact for rule ngd; otherwise as gd-recursion";
  row.rules = {"ngd"};
  row.sharpness = {sharpness_of_ngd<double>, sharpness_of_ngd<Real50>};
  row.margins = {normalised_recursion<double>, normalised_recursion<Real50>};
  return row;
}

PredictionRow gd_flow() {
  PredictionRow row{
      {"gd-flow", "margin of every class under gradient flow, the limit of small steps",
       "α = 0: m = c - W₀(e^c/(K-1)), c = (p K t + 1)/(K-1); α > 0: t = ((K-1)/(p K)) [m/π₁ - (1/π₁ + "
       "1/(1-π₁)) ln((π₁(K-1) - (1-π₁)e^m)/(π₁(K-1) - (1-π₁)))]; t = η x steps",
       "li2026, Theorem 4.1 (the limit of small steps, solved exactly; derived in docs/closed-forms.md)"}};
  row.variant = "flow";
  row.validity =
      "rule gd, orthonormal or equicorrelated embeddings as gd-recursion, population gradients, constant step size, any uniform label noise; exact "
      "for η -> 0, the margin's error at time t is O(η p); answer laws as for gd-recursion: K/R for K, p/R for p";
  row.rules = {"gd"};
  row.hypotheses = {require_population, require_contrasts};
  row.margins = {flow<double>, flow<Real50>};
  return row;
}

}  // namespace rarefact
