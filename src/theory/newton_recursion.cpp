/// Newton's method without damping: if both embeddings are linearly independent, every class evolves independently of W.

#include "core/compensated_sum.hpp"
#include "theory/prediction.hpp"

namespace rarefact {

namespace {

/// Probabilities drop out: all queries with the same number of right answers have one margin.
template <class Real>
MarginsOf<Real> newton_margins(const PredictionInput& input, std::span<const std::int64_t> steps) {
  using std::exp;
  const Real infinite = std::numeric_limits<Real>::infinity();
  const std::vector<Real> total = answers_for_each_right<Real>(input);
  MarginsOf<Real> table(steps.size() * total.size());
  for (std::size_t g = 0; g < total.size(); ++g) {
    const bool again = g > 0 && total[g] == total[g - 1];
    Real margin = 0, left_out = 0;
    std::int64_t done = 0;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (; !again && done < steps[i]; ++done) {
        const Real size = step_size_at<Real>(input, done), shrink = size * Real(input.schedule.decay);
        const Real added = size * (1 + (total[g] - 1) * exp(Real(-margin)));
        add_carried<Real>(margin, left_out, shrink == 0 ? added : Real(added - shrink * margin));
      }
      const std::size_t at = i * total.size() + g;
      table[at] = again ? table[at - 1] : PredictedMargin<Real>{margin, infinite};
    }
  }
  return table;
}

}  // namespace

PredictionRow newton_recursion() {
  PredictionRow row{{"newton-recursion",
                     "one margin for all classes under Newton's method without damping, step by step",
                     "m <- (1 - η_t λ) m + η_t/p̂(m), m = 0 at the start",
                     "derived in docs/closed-forms.md; the rule: kim2026, abstract"}};
  row.validity =
      "exact for rule newton without damping, linearly independent embeddings on both sides (square and "
      "invertible ones, orthonormal ones), population gradients, any step sizes and decoupled decay, label noise 0; queries may share "
      "answers, and have several that are equally likely";
  row.rules = {"newton"};
  row.tolerated = {{"damping", 0.0}};
  row.any_steps = true;
  row.hypotheses = {require_population, require_independent, require_noiseless};
  row.margins = {newton_margins<double>, newton_margins<Real50>};
  return row;
}

}  // namespace rarefact
