#include "model/margin.hpp"
#include "theory/closed_forms.hpp"
#include "theory/hypotheses.hpp"
#include "theory/sign_walk.hpp"

namespace rarefact {

namespace {

Objection objection(const PredictionInput& input) {
  return first_objection({require_rule(input, {"muon"}), require_plain(input, plain_muon()),
                          require_population(input), require_orthonormal(input), require_noise(input)});
}

template <class Real>
MarginsOf<Real> margins(const PredictionInput& input, std::span<const std::int64_t> steps) {
  const std::size_t groups = input.class_probability.size();
  const Real optimum = optimal_margin<Real>(class_total<Real>(input), input.label_noise);
  MarginsOf<Real> table;
  table.reserve(steps.size() * groups);
  for (const std::int64_t step : steps) {
    table.insert(table.end(), groups, sign_walk<Real>(input.step_size, optimum, step));
  }
  return table;
}

}  // namespace

PredictionRow muon_cycle() {
  PredictionRow row;
  row.name = "muon-cycle";
  row.summary =
      "one margin for all classes under Muon with label noise: up to the optimum, then a 2-cycle around it";
  row.formula = "m <- m + η sign(m* - m), m = 0 at the start, m* = ln(π₁(K-1)/(1-π₁)), sign(0) = 0";
  row.source = "li2026, Theorem 5.1";
  row.variant = "";
  row.validity =
      "rule muon with the exact polar factor and momentum 0, orthonormal embeddings, population gradients, "
      "constant step size, "
      "label noise "
      "above 0; asymptotic: with M groups of C classes no entry of the update differs from plus or minus the "
      "identity's by more than 1/C + M/C; where m*/η is nearly a whole number one point of the cycle sits on "
      "the "
      "minimum, so compare the maximum over two consecutive steps";
  row.objection = objection;
  row.margins = margins<double>;
  row.margins50 = margins<Real50>;
  return row;
}

}  // namespace rarefact
