#include "sim/result_rows.hpp"

#include "core/compensated_sum.hpp"
#include "experiment/precision.hpp"
#include "model/answer_law.hpp"
#include "model/margin.hpp"
#include "sim/answer_groups.hpp"

namespace rarefact {

ClassRows planned_rows(const Experiment& experiment, const Spectrum& spectrum, bool exact, Index width) {
  if (experiment.classes.kind != ClassRule::Kind::groups)
    return rows_at(requested_ranks(experiment.classes, spectrum), spectrum);
  if (exact) return rows_of_groups(spectrum);
  const SmoothLaw& law = *spectrum.law;
  if (spectrum.answers) return answer_rows(panel_rule(law.classes, usual_panel_order), law);
  return node_rows(panel_rule(spectrum.classes / static_cast<double>(width), usual_panel_order), width, law);
}

ClassRows rows_of_groups(const Spectrum& spectrum) {
  return spectrum.groups ? group_rows(spectrum) : group_rows(dyadic_groups(*spectrum.law));
}

std::vector<double> of_rows(const std::vector<double>& types, const ClassRows& rows,
                            const Spectrum& spectrum) {
  if (rows.groups) return types;
  std::vector<double> values;
  for (const RankAt& at : ranks_among(spectrum.groups->count, rows.first_class))
    values.push_back(types[at.group]);
  return values;
}

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
    CompensatedSum sum;
    for (std::size_t i = 0; i < rule.size(); ++i)
      sum.add(rule.count[i] * law.weight(rule.rank[i]) * least[i]);
    return sum.value() / weight_of_ranks(law, law.classes);
  }
  if (spectrum.answers) {
    CompensatedSum sum;
    for (std::size_t g = 0; g < entropies.size(); ++g)
      sum.add(spectrum.groups->count[g] * spectrum.groups->probability[g] * entropies[g]);
    return sum.value();
  }
  return in_precision(experiment, [&]<class Real>() {
    return static_cast<double>(irreducible_loss<Real>(spectrum.classes, experiment.label_noise));
  });
}

AnswerGroups answers_of(const Spectrum& spectrum, const ClassRows& rows, double least_loss) {
  AnswerGroups groups = answer_groups_of(*spectrum.answers, least_loss);
  groups.class_fan_in = of_rows(groups.class_fan_in, rows, spectrum);
  groups.class_answer = of_rows(groups.class_answer, rows, spectrum);
  return groups;
}

}  // namespace rarefact
