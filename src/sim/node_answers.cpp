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
  const std::vector<double> answer_rank = rows.answer_ranks();
  std::vector<double> ranks = answer_rank;
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
        static_cast<std::size_t>(std::ranges::lower_bound(ranks, answer_rank[row]) - ranks.begin());
    groups.count[at] += rows.count[row] / groups.fan_in[at];
    groups.class_fan_in.push_back(groups.fan_in[at]);
    groups.class_answer.push_back(static_cast<double>(at));
  }
  // A query that was asked for stands for itself alone, and so does its answer.
  for (double& count : groups.count) count = std::max(count, 1.0);
  return groups;
}

NodeAnswers::NodeAnswers(const SmoothLaw& law, const std::vector<double>& ranks, const QuadratureRule& places,
                         const Experiment& experiment)
    : label_noise_(experiment.label_noise), answers_(law.classes) {
  const double total = weight_of_ranks(law, law.classes);
  for (const double rank : ranks) {
    const double weight = law.weight(rank), q = weight / total;
    frequency_.push_back(q);
    background_.push_back(label_noise_ *
                          (experiment.noise_answers == NoiseAnswers::uniform ? 1 / law.classes : q));
    for (std::size_t c = 0; c < places.size(); ++c)
      share_.push_back(law.query ? places.count[c] * (law.query({rank, places.rank[c]}) / weight) : 1);
  }
}

template <class Value>
double NodeAnswers::mean(std::size_t answer, const Value& value) const {
  double sum = 0;
  for (std::size_t i = answer * places(); i < (answer + 1) * places(); ++i) sum += share_[i] * value(i);
  return sum;
}

std::vector<double> NodeAnswers::errors(const double* error) const {
  std::vector<double> errors;
  for (std::size_t i = 0; i < frequency_.size(); ++i)
    errors.push_back(mean(i, [&](std::size_t query) { return error[query]; }));
  return errors;
}

std::vector<double> NodeAnswers::losses(const double* log_odds, const double* mean_log) const {
  std::vector<double> losses;
  for (std::size_t i = 0; i < frequency_.size(); ++i) {
    const double own = mean(i, [&](std::size_t query) { return softplus(log_odds[query]); }),
                 kept = (1 - label_noise_) * frequency_[i];
    losses.push_back(noisy() ? (kept * own - background_[i] * mean_log[i]) / (kept + background_[i]) : own);
  }
  return losses;
}

std::vector<double> NodeAnswers::mean_log(const Observation& seen, const std::vector<double>& node_mass,
                                          const double* log_odds) const {
  const double log_wrong = std::log(answers_ - 1);
  double common = 0;  // as if every query's own answer were one of the wrong ones
  for (std::size_t i = 0; i < node_mass.size(); ++i)
    common += node_mass[i] * (-softplus(-seen.log_odds[i]) - log_wrong);
  std::vector<double> means;
  for (std::size_t i = 0; i < frequency_.size(); ++i)
    means.push_back(common +
                    frequency_[i] * mean(i, [&](std::size_t query) { return log_wrong - log_odds[query]; }));
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
