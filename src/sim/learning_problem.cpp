// The learning problem of an experiment: its rows, its least losses, its answers.

#include "core/compensated_sum.hpp"
#include "core/transform.hpp"
#include "experiment/experiment.hpp"
#include "model/margin.hpp"
#include "sim/resolve.hpp"
#include "sim/unit.hpp"

namespace rarefact {

namespace {

/// The mean entropy of query types: of the law's own types if it is written out, else at panel nodes.
double mean_entropy(const Experiment& e, const Spectrum& s, const std::vector<double>& of_types) {
  CompensatedSum sum;
  if (s.groups) {
    for (std::size_t g = 0; g < of_types.size(); ++g)
      sum.add(s.groups->count[g] * s.groups->probability[g] * of_types[g]);
    return sum.value();
  }
  const QuadratureRule rule = panel_rule(s.law->classes, usual_panel_order);
  const std::vector<double> entropies = entropies_at(*s.law, rule.rank, e.label_noise, e.noise());
  for (std::size_t i = 0; i < rule.size(); ++i)
    sum.add(rule.count[i] * s.law->weight(rule.rank[i]) * entropies[i]);
  return sum.value() / weight_of_ranks(*s.law, s.law->classes);
}

}  // namespace

LearningProblem::LearningProblem(const Experiment& e, const Setup& setup, ArrayReader reader,
                                 const Workers& w)
    : experiment(e),
      spectrum(setup.spectrum),
      workers(w),
      steps(setup.steps),
      rows(rows_of(e, spectrum)),
      loss{0, spectrum.answer_count(), e.loss->of_outputs},
      bands(bands_of(e, spectrum)),
      inputs(e, spectrum, std::move(reader), w) {
  const Spectrum& s = spectrum;
  if (s.answers && s.answers->tells()) {
    std::vector<double> of_types;
    if (s.groups) of_types = type_entropies(*s.answers, e.label_noise, e.noise());
    loss.least = mean_entropy(e, s, of_types);
    row_least = s.groups ? mapped(rows, [&](const ClassRow& row) { return of_types[row.group]; })
                         : entropies_at(*s.law, rows.ranks(), e.label_noise, e.noise());
    if (!bands.empty()) {  // which need classes in groups
      std::vector<Cell> groups;
      for (std::size_t g = 0; g < s.groups->size(); ++g) groups.push_back({static_cast<Index>(g)});
      band_least.resize(bands.size());
      over_bands(groups, bands, s)(of_types, band_least.data());
    }
    ShownAnswers shown = shown_answers(s, rows, loss.least);
    answers = std::move(shown.groups);
    among_all = std::move(shown.among_all);
  }
  if (e.loss->of_outputs) {
    loss.least = 0;  // it depends on the embeddings: see SquaresMemory
    row_least.assign(rows.size(), 0);
    band_least.assign(bands.size(), 0);
  } else if (!answers) {
    loss.least = in_precision(e, [&]<class Real>() {
      return static_cast<double>(irreducible_loss<Real>(s.classes, e.label_noise));
    });
  }
  if (band_least.empty()) band_least.assign(bands.size(), loss.least);
}

}  // namespace rarefact
