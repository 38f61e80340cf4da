/// Adam with identity embeddings: a column of the gradient has one entry for the right and one for wrong answers, both
/// times p.

#include "theory/margin_recursion.hpp"

namespace rarefact {

namespace {

/// The moments of x, the second one as its root: squares would underflow.
template <class Real>
struct Moments {
  Real mean = Real(0), root = Real(0);
};

template <class Real>
Real length(const Real& a, const Real& b) {
  using std::abs, std::sqrt;
  const Real most = std::max(Real(abs(a)), Real(abs(b))), least = std::min(Real(abs(a)), Real(abs(b)));
  return most > 0 ? Real(most * sqrt(Real(1 + (least / most) * (least / most)))) : most;
}

template <class Real>
MarginsOf<Real> adam_margins(const PredictionInput& input, std::span<const std::int64_t> steps) {
  using std::expm1, std::log1p, std::sqrt;
  const std::vector<Real> total = answers_for_each_right<Real>(input);
  const Real beta1 = input.parameters.number("beta1"), beta2 = input.parameters.number("beta2"),
             epsilon = input.parameters.number("epsilon"), keep = sqrt(beta2), take = sqrt(Real(1 - beta2));
  std::vector<Moments<Real>> moments(total.size());
  // 1 - β^t, also of β near 1.
  const auto grown = [](const Real& beta, const Real& t) {
    return Real(-expm1(Real(t * log1p(Real(-(1 - beta))))));
  };
  Real updates(0);
  return margin_recursion<Real>(input, steps, [&](const std::vector<Real>& x, std::vector<Real>& change) {
    updates += 1;
    const Real of_mean = grown(beta1, updates), of_root = sqrt(grown(beta2, updates));
    for (std::size_t g = 0; g < x.size(); ++g) {
      auto& [mean, root] = moments[g];
      mean = beta1 * mean + (1 - beta1) * x[g];
      root = length<Real>(keep * root, take * x[g]);
      const Real up = mean / of_mean, size = root / of_root,
                 small = epsilon / moving_probability<Real>(input, g);
      change[g] = up == 0 ? Real(0) : Real(up / (size + small) + up / (size + small * (total[g] - 1)));
    }
  });
}

}  // namespace

PredictionRow adam_recursion() {
  PredictionRow row{
      {"adam-recursion", "margin of every class under Adam, step by step",
       "M <- β₁M + (1-β₁)x, V <- β₂V + (1-β₂)x², x = π₁ - p̂(m); m <- m + η (M̂/(√V̂ + ε/p) + M̂/(√V̂ + ε(K-1)/p)), hats for "
       "the bias correction (aligned: from its scale); with R right answers K/R replaces K, and p/R replaces p",
       "derived in docs/closed-forms.md; the rule: wang2025, section 5"}};
  row.validity =
      "exact for rule adam, identity embeddings, population gradients, any uniform label noise, any step sizes and decoupled decay; "
      "queries may share answers, and have several that are equally likely; at most 1e6 steps; with ε = 0 one margin for "
      "all classes with as many right answers";
  row.rules = {"adam"};
  row.tolerated = {{"beta1"}, {"beta2"}, {"epsilon"}};
  row.any_start = row.any_steps = true;
  row.hypotheses = {require_few_steps, require_population, require_task_basis};
  row.margins = {adam_margins<double>, adam_margins<Real50>};
  return row;
}

}  // namespace rarefact
