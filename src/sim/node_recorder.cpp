#include "sim/node_recorder.hpp"

#include <algorithm>

#include "model/log_odds.hpp"

namespace rarefact {

NodeRecorder::NodeRecorder(const std::vector<Cell>& cells, const QuadratureRule& nodes, bool interpolates,
                           const LearningProblem& problem, const LossScale& scale, Trajectory& trajectory)
    : Recorder(cells, CellsToRows(interpolates ? 0 : nodes.size(), problem.rows), problem, scale, trajectory),
      nodes_(nodes),
      law_(*problem.spectrum.law),
      noisy_(problem.experiment.label_noise > 0),
      total_weight_(weight_of_ranks(law_, law_.classes)),
      ends_(interpolates ? 2 : 0) {
  // The ends represent no classes.
  for (std::vector<double>* of : {&weights_.count, &weights_.mass}) of->resize(nodes.size() + ends_);
  std::vector<double> ranks = problem.rows.ranks();
  if (!problem.bands.empty()) {
    // Bands may cut groups of classes that learn one after another, between which no rule of a few nodes is exact.
    const bool every_class = static_cast<double>(nodes.size()) == law_.classes;
    const QuadratureRule band_nodes =
        every_class ? nodes : panel_rule(law_.classes, usual_panel_order, 0, cuts_of(problem.bands));
    measure_bands(
        over_bands(interpolates ? band_nodes : nodes, interpolates ? ranks.size() : 0, problem.bands));
    if (interpolates) ranks.insert(ranks.end(), band_nodes.rank.begin(), band_nodes.rank.end());
  }
  if (!interpolates) return;
  ranks.insert(ranks.end(), {1, law_.classes});
  rank_parts_ = interpolation_weights(nodes, ranks);
}

std::vector<double> NodeRecorder::totals_of(const MetricRows& metrics, const Observation& seen,
                                            const Observation& shown) {
  ClassStats<double> counted = seen;
  for (const auto field : ClassStats<double>::of_logits()) {
    std::vector<double>& values = counted.*field;
    const std::vector<double>& all = shown.*field;  // without a drop of the loss if they are interpolated
    values.resize(nodes_.size());
    values.insert(values.end(), all.end() - std::min(std::ssize(all), std::ptrdiff_t(ends_)), all.end());
    values.resize(weights_.size());
  }
  std::vector<double> sums = totals<double>(metrics, counted, weights_), values(weights_.size());
  for (std::size_t m = 0; m < sums.size(); ++m) {
    const ClassMeasure& measure = metrics[m]->classes();
    if (!measure.positive) continue;
    measure.value(counted, 0, nodes_.size(), values.data());
    sums[m] = total_of_steps(values, measure.over);
  }
  return sums;
}

LawMeasures NodeRecorder::answers(const Observation& seen, const Observation& shown) const {
  const AnswerGroups& groups = *problem_.answers;
  const std::vector<double> none(groups.count.size(), std::nan(""));
  LawMeasures found{top1_total(seen, seen.top_error), none, none};
  const double noise = problem_.experiment.label_noise, log_wrong = std::log(law_.classes - 1);
  double wrong = 0;  // Σ_l p_l ln p̂(k|l) as if every query's own answer were wrong, and all wrong ones alike
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    wrong += weights_.mass[i] * (-softplus(-seen.log_odds[i]) - log_wrong);
  for (std::size_t row = 0, at = interpolates() ? 0 : nodes_.size(); row < groups.class_answer.size();
       ++row, ++at) {
    const auto group = static_cast<std::size_t>(groups.class_answer[row]);
    const bool even = problem_.experiment.noise() == NoiseAnswers::uniform;
    const double q = groups.probability[group], background = noise * (even ? 1 / law_.classes : q),
                 kept = (1 - noise) * q, own = softplus(shown.log_odds[at]);
    found.answer_error[group] = shown.error[at];
    found.answer_loss[group] = own;
    if (!noisy_) continue;
    const double mean = interpolates() ? shown.mean_log[row] : wrong + q * (log_wrong - shown.log_odds[at]);
    found.answer_loss[group] = (kept * own - background * mean) / (kept + background);
  }
  return found;
}

double NodeRecorder::top1_total(const Observation& seen, const std::vector<double>& of_ties) const {
  double error = 1 - total_of_steps(seen.advantage, Over::probability);
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (seen.advantage[i] == 0)  // ties are counted node by node
      error -= weights_.mass[i] * (of_ties.empty() ? 1 / law_.classes : 1 - of_ties[i]);
  return std::max(error, 0.0);
}

double NodeRecorder::top_total(std::size_t i, const Observation& seen, const Observation&) const {
  return seen.top_ranks[i] < law_.classes ? top1_total(seen, seen.top[i]) : 0;
}

/// Totals of a step function, which a quadrature cannot integrate: if the value changes sign between two
/// nodes, the rank of the change is interpolated linearly in ln k, and classes are counted on both sides.
double NodeRecorder::total_of_steps(const std::vector<double>& value, Over over) const {
  const std::vector<double>& log_rank = nodes_.log_rank;
  const auto up_to = [&](double end) {
    if (end < 1) return 0.0;
    return over == Over::count ? queries_of_ranks(law_, end) : weight_of_ranks(law_, end);
  };
  const double all = over == Over::count ? up_to(law_.classes) : total_weight_;
  double total = 0, begin = 0, before = 0;  // of the current range with one sign
  const auto close = [&](double end, double up_to_end, bool positive) {
    if (positive) total += up_to_end - before;
    begin = end;
    before = up_to_end;
  };
  for (std::size_t i = 0; i + 1 < nodes_.size(); ++i) {
    const double here = value[i], next = value[i + 1];
    if ((here > 0) == (next > 0)) continue;
    const double x = log_rank[i] + here / (here - next) * (log_rank[i + 1] - log_rank[i]);
    const double end = std::clamp(std::floor(std::exp(x)), begin, law_.classes);
    close(end, up_to(end), here > 0);
  }
  close(law_.classes, all, value[nodes_.size() - 1] > 0);
  return over == Over::count ? total : total / all;
}

OneStepLogits<double> NodeRecorder::with_ends(OneStepLogits<double> nodes) const {
  const auto extended = [this](const Vector& cells) {
    const std::vector<double> at = interpolated(cells.data());
    Vector all(cells.size() + static_cast<Index>(ends_));
    all << cells, Eigen::Map<const Vector>(at.data() + at.size() - ends_, static_cast<Index>(ends_));
    return all;
  };
  return {[extended, log_odds = nodes.log_odds](const double& scale) { return extended(log_odds(scale)); },
          extended(nodes.margin)};
}

std::vector<double> NodeRecorder::interpolated(const double* per_cell) const {
  const Eigen::Map<const Vector> values(per_cell, std::ssize(nodes_));
  const Vector at_ranks = rank_parts_ * values;
  return {at_ranks.begin(), at_ranks.end()};
}

const Observation& NodeRecorder::shown(const Observation& seen) {
  if (!interpolates()) return seen;
  const auto transformed = [](std::vector<double> values, auto f) {
    std::ranges::transform(values, values.begin(), f);
    return values;
  };
  shown_.log_odds = interpolated(seen.log_odds.data());
  shown_.error = transformed(shown_.log_odds, [](double x) { return logistic(x); });
  // Without noise the excess loss is a function of the log-odds, which is accurate for tiny values; with
  // noise it has zeros, so only the excess loss itself is smooth.
  shown_.excess_loss =
      noisy_ ? transformed(interpolated(seen.excess_loss.data()), [](double x) { return std::max(x, 0.0); })
             : transformed(shown_.log_odds, [](double x) { return softplus(x); });
  shown_.advantage = interpolated(seen.advantage.data());
  shown_.top_ranks = seen.top_ranks;
  shown_.top.assign(seen.top.size(), transformed(shown_.advantage, [this](double x) {
                      return x > 0 ? 0 : x == 0 ? 1 - 1 / law_.classes : x < 0 ? 1 : x;
                    }));
  if (problem_.answers && noisy_) shown_.mean_log = interpolated(seen.mean_log.data());
  return shown_;
}

const std::vector<double>& NodeRecorder::shown(const std::vector<double>& per_cell) {
  if (!interpolates()) return per_cell;
  return shown_cells_ = interpolated(per_cell.data());
}

}  // namespace rarefact
