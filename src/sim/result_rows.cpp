#include "sim/result_rows.hpp"

#include <algorithm>

#include "core/compensated_sum.hpp"
#include "experiment/precision.hpp"
#include "model/answer_law.hpp"
#include "model/embedding.hpp"
#include "model/margin.hpp"

namespace rarefact {

namespace {

/// Classes of the largest block of the embeddings.
Index widest_block(const Experiment& experiment) {
  Index widest = 1;
  for (const auto& [side, name] :
       {std::pair(&experiment.query_embedding, "query"), std::pair(&experiment.answer_embedding, "answer")}) {
    if (embedding_row(side->kind).block)
      widest = std::max(widest, rotation_block(side->parameters, name).rows());
  }
  return widest;
}

/// A number of each query type, for each row. The spectrum is written out.
std::vector<double> of_rows(const std::vector<double>& types, const ClassRows& rows,
                            const Spectrum& spectrum) {
  if (rows.groups) return types;
  std::vector<double> values;
  for (const RankAt& at : ranks_among(spectrum.groups->count, rows.first_class))
    values.push_back(types[at.group]);
  return values;
}

/// The answers of rows that are panel nodes, each answer once, most frequent first. An answer of a node represents as many as
/// the node does.
AnswerGroups answer_groups_at(const Spectrum& spectrum, const ClassRows& rows, double least_loss) {
  const SmoothLaw& law = *spectrum.law;
  AnswerGroups groups{.query_count = spectrum.classes,
                      .answer_count = law.classes,
                      .loss_floor = least_loss,
                      .top1_floor = 0,
                      .class_fan_in = {},
                      .class_answer = {},
                      .count = {},
                      .probability = {},
                      .fan_in = {}};
  std::vector<double> ranks = rows.answer_rank;
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  const double total = weight_of_ranks(law, law.classes);
  for (const double rank : ranks) {
    groups.count.push_back(0);
    groups.probability.push_back(law.weight(rank) / total);
    groups.fan_in.push_back(law.queries(rank));
  }
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto at =
        static_cast<std::size_t>(std::ranges::lower_bound(ranks, rows.answer_rank[row]) - ranks.begin());
    groups.count[at] += rows.count[row] / groups.fan_in[at];
    groups.class_fan_in.push_back(groups.fan_in[at]);
    groups.class_answer.push_back(static_cast<double>(at));
  }
  // A requested query represents only itself, and so does its answer.
  for (double& count : groups.count) count = std::max(count, 1.0);
  return groups;
}

}  // namespace

bool shows_groups(const Spectrum& spectrum) {
  return !spectrum.law || (spectrum.groups && spectrum.groups->size() <= max_group_rows);
}

ClassRows rows_of(const Experiment& experiment, const Spectrum& spectrum) {
  if (experiment.classes.kind != ClassRule::Kind::groups)
    return rows_at(requested_ranks(experiment.classes, spectrum), spectrum);
  if (shows_groups(spectrum)) return group_rows(spectrum);
  if (experiment.sampled() && !spectrum.groups) return group_rows(dyadic_groups(*spectrum.law));
  return panel_rows(spectrum, widest_block(experiment));
}

std::vector<double> min_losses(const Experiment& experiment, const Spectrum& spectrum) {
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
  if (!shows_groups(spectrum)) return answer_groups_at(spectrum, rows, least_loss);
  AnswerGroups groups = answer_groups_of(*spectrum.answers, least_loss);
  groups.class_fan_in = of_rows(groups.class_fan_in, rows, spectrum);
  groups.class_answer = of_rows(groups.class_answer, rows, spectrum);
  return groups;
}

std::vector<std::size_t> shown_answers(const Spectrum& spectrum, const ClassRows& rows) {
  if (shows_groups(spectrum) || !spectrum.groups) return {};
  const std::vector<double> all =
      of_rows(answer_groups_of(*spectrum.answers, 0).class_answer, rows, spectrum);
  const std::vector<double> among = answer_groups_at(spectrum, rows, 0).class_answer;
  std::vector<std::size_t> shown(rows.size());
  std::size_t count = 0;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const auto at = static_cast<std::size_t>(among[row]);
    shown[at] = static_cast<std::size_t>(all[row]);
    count = std::max(count, at + 1);
  }
  shown.resize(count);
  return shown;
}

std::vector<double> row_least_losses(const Experiment& experiment, const Spectrum& spectrum,
                                     const ClassRows& rows, const std::vector<double>& entropies) {
  if (experiment.least_squares()) return std::vector<double>(rows.size(), 0);
  if (!spectrum.answers) return {};
  if (spectrum.groups) return of_rows(entropies, rows, spectrum);
  return entropies_at(*spectrum.law, rows.answer_rank, experiment.label_noise, experiment.noise_answers);
}

}  // namespace rarefact
