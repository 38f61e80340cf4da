#include "model/margin.hpp"
#include "theory/closed_forms.hpp"
#include "theory/column_flow.hpp"
#include "theory/hypotheses.hpp"

namespace rarefact {

namespace {

/// A sum that keeps what rounding drops, so that millions of small steps add up to the last digit.
template <class Real>
struct Sum {
  Real value = 0;
  Real lost = 0;

  void add(Real x) {
    x += lost;
    const Real total = value + x;
    const Real added = total - value;
    lost = (value - (total - added)) + (x - added);
    value = total;
  }
};

Objection objection(const PredictionInput& input) {
  return first_objection({require_rule(input, {"gd"}), require_plain(input, {}), require_population(input),
                          require_orthonormal(input)});
}

/// The state is the margin itself at α = 0, where π₁ - p̂ is the error, and otherwise the distance to the
/// optimum: both resolve the late steps, in which the plain difference π₁ - p̂ would be rounding noise.
template <class Real>
MarginsOf<Real> margins(const PredictionInput& input, std::span<const std::int64_t> steps) {
  const Real total = class_total<Real>(input), noise = input.label_noise;
  const Real optimum = optimal_margin<Real>(total, noise);
  const std::size_t groups = input.class_probability.size();
  std::vector<Real> gain(groups);
  for (std::size_t i = 0; i < groups; ++i) {
    gain[i] = input.step_size * margin_speed<Real>(input.class_probability[i], total);
  }
  std::vector<Sum<Real>> state(groups, Sum<Real>{noise == 0 ? Real(0) : optimum});
  MarginsOf<Real> table;
  table.reserve(steps.size() * groups);
  std::int64_t done = 0;
  for (const std::int64_t step : steps) {
    for (; done < step; ++done) {
      for (std::size_t i = 0; i < groups; ++i) {
        if (noise == 0) {
          state[i].add(gain[i] * error_of_margin<Real>(state[i].value, total));
        } else {
          state[i].add(-gain[i] * shortfall_at_distance<Real>(state[i].value, total, noise));
        }
      }
    }
    for (const Sum<Real>& sum : state)
      table.push_back(noise == 0 ? sum.value : Real((optimum - sum.value) - sum.lost));
  }
  return table;
}

}  // namespace

PredictionRow gd_recursion() {
  PredictionRow row;
  row.name = "gd-recursion";
  row.summary = "margin of every class under gradient descent, step by step";
  row.formula = "m <- m + η p (K/(K-1)) (π₁ - p̂(m)), m = 0 at the start";
  row.source = "li2026, Theorem 4.1 (its discrete steps, exactly; derived in docs/predictions.md)";
  row.variant = "";
  row.validity =
      "exact for rule gd, orthonormal embeddings, population gradients, any label noise and any constant "
      "step size";
  row.objection = objection;
  row.margins = margins<double>;
  row.margins50 = margins<Real50>;
  return row;
}

}  // namespace rarefact
