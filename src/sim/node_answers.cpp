#include "sim/node_answers.hpp"

#include <algorithm>
#include <cmath>

#include "model/log_odds.hpp"

namespace rarefact {

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

NodeAnswers::NodeAnswers(const SmoothLaw& law, const std::vector<double>& ranks, const Experiment& experiment,
                         const AnswerGroups& groups)
    : label_noise_(experiment.label_noise),
      answers_(law.classes),
      group_(groups.class_answer),
      groups_(groups.count.size()) {
  const double total = weight_of_ranks(law, law.classes);
  for (const double rank : ranks) {
    const double q = law.weight(rank) / total;
    frequency_.push_back(q);
    background_.push_back(label_noise_ *
                          (experiment.noise_answers == NoiseAnswers::uniform ? 1 / law.classes : q));
  }
}

LawMeasures NodeAnswers::measures(double top1_error, const double* error, const double* log_odds,
                                  const double* mean_log) const {
  const std::vector<double> none(groups_, std::nan(""));
  LawMeasures found{top1_error, none, none};
  for (std::size_t i = 0; i < frequency_.size(); ++i) {
    const auto group = static_cast<std::size_t>(group_[i]);
    const double own = softplus(log_odds[i]), kept = (1 - label_noise_) * frequency_[i];
    found.answer_error[group] = error[i];
    found.answer_loss[group] =
        label_noise_ > 0 ? (kept * own - background_[i] * mean_log[i]) / (kept + background_[i]) : own;
  }
  return found;
}

std::vector<double> NodeAnswers::mean_log(const Observation& seen, const std::vector<double>& node_mass,
                                          const double* log_odds) const {
  const double log_wrong = std::log(answers_ - 1);
  double common = 0;  // as if every query's own answer were wrong
  for (std::size_t i = 0; i < node_mass.size(); ++i)
    common += node_mass[i] * (-softplus(-seen.log_odds[i]) - log_wrong);
  std::vector<double> means;
  for (std::size_t i = 0; i < frequency_.size(); ++i)
    means.push_back(common + frequency_[i] * (log_wrong - log_odds[i]));
  return means;
}

double top1_error(const Observation& seen, const std::vector<double>& node_mass, double right,
                  double answers) {
  double error = 1 - right;
  for (std::size_t i = 0; i < node_mass.size(); ++i) {
    if (seen.advantage[i] == 0)
      error -= node_mass[i] * (seen.top_share.empty() ? 1 / answers : seen.top_share[i]);
  }
  return std::max(error, 0.0);
}

}  // namespace rarefact
