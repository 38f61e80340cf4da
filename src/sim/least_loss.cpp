#include "sim/least_loss.hpp"

#include "core/compensated_sum.hpp"
#include "core/real50.hpp"
#include "model/answer_law.hpp"
#include "model/margin.hpp"
#include "model/quadrature_rule.hpp"

namespace rarefact {

std::vector<double> least_losses(const Experiment& experiment, const Spectrum& spectrum) {
  if (!spectrum.answers || !spectrum.groups) return {};
  return type_entropies(*spectrum.answers, experiment.label_noise, experiment.noise_answers);
}

double least_loss(const Experiment& experiment, const Spectrum& spectrum,
                  const std::vector<double>& entropies) {
  if (spectrum.answers && !spectrum.groups) {
    const SmoothLaw& law = *spectrum.law;
    const QuadratureRule rule = panel_rule(law.classes, usual_panel_order);
    const std::vector<double> least =
        entropies_at(law, rule.rank, experiment.label_noise, experiment.noise_answers);
    CompensatedSum sum, mass;
    for (std::size_t i = 0; i < rule.size(); ++i) {
      sum.add(rule.count[i] * law.weight(rule.rank[i]) * least[i]);
      mass.add(rule.count[i] * law.weight(rule.rank[i]));
    }
    return sum.value() / mass.value();
  }
  if (spectrum.answers) {
    CompensatedSum sum;
    for (std::size_t g = 0; g < entropies.size(); ++g)
      sum.add(spectrum.groups->count[g] * spectrum.groups->probability[g] * entropies[g]);
    return sum.value();
  }
  const double classes = spectrum.classes;
  if (experiment.precision != 50) return irreducible_loss(classes, experiment.label_noise);
  return static_cast<double>(irreducible_loss<Real50>(classes, experiment.label_noise));
}

}  // namespace rarefact
