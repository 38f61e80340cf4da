/// Newton's method without damping: where no inverse is cut short the coordinates of W drop out, and every class
/// moves by itself.

#include <cmath>

#include "core/real50.hpp"
#include "theory/prediction.hpp"

namespace rarefact {

namespace {

Objection newton_objection(const PredictionInput& input) {
  return first_objection({require_rule(input, {"newton"}), require_plain(input, {{"damping", 0.0}}),
                          require_population(input), require_independent(input), require_noiseless(input)});
}

/// One margin for all classes: their probabilities drop out.
template <class Real>
MarginsOf<Real> newton_margins(const PredictionInput& input, std::span<const std::int64_t> steps) {
  using std::exp;
  const Real wrong = class_total<Real>(input) - 1, step_size = input.step_size;
  MarginsOf<Real> table;
  Real margin = 0;
  std::int64_t done = 0;
  for (const std::int64_t step : steps) {
    for (; done < step; ++done) margin += step_size * (1 + wrong * exp(Real(-margin)));
    table.insert(table.end(), input.class_probability.size(), margin);
  }
  return table;
}

}  // namespace

PredictionRow newton_recursion() {
  PredictionRow row;
  row.name = "newton-recursion";
  row.summary = "one margin for all classes under Newton's method without damping, step by step";
  row.formula = "m <- m + η/p̂(m), m = 0 at the start";
  row.source = "derived in docs/predictions.md; the rule: kim2026, abstract";
  row.validity =
      "exact for rule newton without damping, linearly independent embeddings on both sides (square and "
      "invertible ones, orthonormal ones), population gradients, constant step size, label noise 0";
  row.objection = newton_objection;
  row.margins = newton_margins<double>;
  row.margins50 = newton_margins<Real50>;
  return row;
}

}  // namespace rarefact
