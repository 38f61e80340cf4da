#include "theory/closed_forms.hpp"
#include "theory/hypotheses.hpp"

namespace rarefact {

namespace {

Objection objection(const PredictionInput& input) {
  return first_objection({require_rule(input, {"muon"}), require_plain(input, plain_muon()),
                          require_population(input), require_orthonormal(input), require_noiseless(input)});
}

template <class Real>
MarginsOf<Real> margins(const PredictionInput& input, std::span<const std::int64_t> steps) {
  const std::size_t groups = input.class_probability.size();
  MarginsOf<Real> table;
  table.reserve(steps.size() * groups);
  for (const std::int64_t step : steps) {
    table.insert(table.end(), groups, Real(input.step_size) * static_cast<Real>(step));
  }
  return table;
}

}  // namespace

PredictionRow muon_descent() {
  PredictionRow row;
  row.name = "muon-descent";
  row.summary = "one margin for all classes under Muon without label noise";
  row.formula = "m_t = η t, error = (K-1)/(K-1+e^{ηt})";
  row.source = "li2026, Theorem 4.2";
  row.variant = "";
  row.validity =
      "rule muon with the exact polar factor and momentum 0, orthonormal embeddings, population gradients, "
      "constant step size, "
      "label noise "
      "0; asymptotic, m_t = (1+o(1)) η t: with M groups of C classes no entry of the update differs from the "
      "identity's by more than 1/C + M/C";
  row.objection = objection;
  row.margins = margins<double>;
  row.margins50 = margins<Real50>;
  return row;
}

}  // namespace rarefact
