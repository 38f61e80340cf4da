#include "sim/result_rows.hpp"

#include "model/answer_law.hpp"
#include "sim/answer_groups.hpp"

namespace rarefact {

ClassRows planned_rows(const Experiment& experiment, const Spectrum& spectrum, bool exact, Index width) {
  if (experiment.classes.kind != ClassRule::Kind::groups)
    return rows_at(requested_ranks(experiment.classes, spectrum), spectrum);
  if (exact) return rows_of_groups(spectrum);
  const SmoothLaw& law = *spectrum.law;
  if (spectrum.answers) {
    const int order = law.query ? both_ways_order : usual_panel_order;
    const auto rule = [order](double items) { return panel_rule(items, order, 0, 2 * usual_panel_order); };
    return answer_rows(query_nodes(law, rule), law);
  }
  return node_rows(panel_rule(spectrum.classes / static_cast<double>(width), usual_panel_order), width, law);
}

ClassRows rows_of_groups(const Spectrum& spectrum) {
  return spectrum.groups ? group_rows(spectrum) : group_rows(dyadic_groups(*spectrum.law));
}

std::vector<double> of_rows(const std::vector<double>& types, const ClassRows& rows,
                            const Spectrum& spectrum) {
  if (rows.groups) return types;
  std::vector<double> values;
  for (const RankAt& at : ranks_among(spectrum.groups->count, rows.first_rank))
    values.push_back(types[at.group]);
  return values;
}

std::vector<double> least_losses_at(const Experiment& experiment, const Spectrum& spectrum,
                                    const ClassRows& rows) {
  return entropies_at(*spectrum.law, rows.answer_ranks(), experiment.label_noise, experiment.noise_answers);
}

AnswerGroups answers_of(const Spectrum& spectrum, const ClassRows& rows, double least_loss) {
  AnswerGroups groups = answer_groups_of(*spectrum.answers, least_loss);
  groups.class_fan_in = of_rows(groups.class_fan_in, rows, spectrum);
  groups.class_answer = of_rows(groups.class_answer, rows, spectrum);
  return groups;
}

}  // namespace rarefact
