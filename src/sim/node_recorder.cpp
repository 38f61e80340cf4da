#include "sim/node_recorder.hpp"

#include <algorithm>
#include <cmath>

#include "model/log_odds.hpp"

namespace rarefact {

NodeTargets::NodeTargets(const std::vector<double>& classes, const std::vector<double>& ends, Index block)
    : ranks(classes), rows(classes.size()) {
  ranks.insert(ranks.end(), ends.begin(), ends.end());
  places.resize(ranks.size(), 0);
  if (block == 1) return;
  const auto size = static_cast<double>(block);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const double before = ranks[i] - 1;
    // Rows of a block show its places in turn, so that real ranks have a place, too.
    const double place = std::fmod(before == std::round(before) ? before : static_cast<double>(i), size);
    ranks[i] = (before - place) / size + 1;
    places[i] = static_cast<Index>(place);
  }
}

NodeRecorder::NodeRecorder(const std::vector<Cell>& cells, const ClassNodes& nodes,
                           const NodeTargets& targets, const LearningProblem& problem, Trajectory& trajectory)
    : Recorder(cells, CellsToRows(targets.ends() > 0 ? 0 : nodes.size(), problem.rows), problem.rows.size(),
               problem.steps.size(), problem.loss, trajectory, problem.row_least),
      nodes_(nodes),
      targets_(targets),
      law_(*problem.spectrum.law),
      noisy_(problem.experiment.label_noise > 0),
      items_(std::round(law_.classes / static_cast<double>(nodes.block))) {
  // The ends stand for no class.
  for (std::vector<double>* of : {&weights_.count, &weights_.mass}) of->resize(nodes.size() + targets.ends());
  for (Index c = 0; c < nodes.block; ++c) {
    place_weight_.push_back(weight_of_place(c, items_));
    total_weight_ += place_weight_.back();
  }
  if (interpolates()) rank_parts_ = interpolation_weights(nodes.blocks, targets.ranks);
  if (!law_.fan_in) return;
  answers_.emplace(law_, problem.rows.answer_rank, problem.experiment, *problem.answers);
  measure_answers([this](const Observation& seen, const Observation& at) { return answers(seen, at); });
}

double NodeRecorder::weight_of_place(Index place, double ranks) const {
  if (ranks < 1) return 0;
  const QuadratureRule rule = panel_rule(ranks, usual_panel_order);
  double sum = 0;
  for (std::size_t i = 0; i < rule.size(); ++i)
    sum += rule.count[i] * law_.weight(nodes_.rank(rule.rank[i], place));
  return sum;
}

std::vector<double> NodeRecorder::totals_of(const MetricRows& metrics, const Observation& seen,
                                            const Observation& shown) {
  ClassStats<double> counted = seen;
  for (const auto field : {&ClassStats<double>::error, &ClassStats<double>::log_odds,
                           &ClassStats<double>::excess_loss, &ClassStats<double>::advantage}) {
    (counted.*field).resize(nodes_.size());
    const std::vector<double>& all = shown.*field;
    (counted.*field)
        .insert((counted.*field).end(), all.end() - static_cast<std::ptrdiff_t>(targets_.ends()), all.end());
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
  std::vector<double> node_mass = weights_.mass;
  node_mass.resize(nodes_.size());
  const std::size_t first = interpolates() ? 0 : nodes_.size();
  const double right = total_of_steps(seen.advantage, Over::probability);
  const double* log_odds = shown.log_odds.data() + first;
  const std::vector<double> means =
      noisy_ && !interpolates() ? answers_->mean_log(seen, node_mass, log_odds) : shown.mean_log;
  return answers_->measures(top1_error(seen, node_mass, right, law_.classes), shown.error.data() + first,
                            log_odds, means.data());
}

/// Totals of a step function, which a quadrature cannot integrate: if the value changes sign between two
/// nodes, the rank of the change is interpolated linearly in ln k, and classes are counted on both sides.
double NodeRecorder::total_of_steps(const std::vector<double>& value, Over over) const {
  const std::size_t nodes = nodes_.blocks.size(), places = place_weight_.size();
  const std::vector<double>& log_rank = nodes_.blocks.log_rank;
  double total = 0;
  for (std::size_t c = 0; c < places; ++c) {
    const auto up_to = [&](double end) {
      if (over != Over::count) return weight_of_place(static_cast<Index>(c), end);
      return law_.fan_in && end >= 1 ? queries_of_ranks(law_, end) : end;
    };
    double begin = 0, before = 0;  // of the current range with one sign
    const auto close = [&](double end, double up_to_end, bool positive) {
      if (positive) total += up_to_end - before;
      begin = end;
      before = up_to_end;
    };
    for (std::size_t i = 0; i + 1 < nodes; ++i) {
      const double here = value[i * places + c], next = value[(i + 1) * places + c];
      if ((here > 0) == (next > 0)) continue;
      const double x = log_rank[i] + here / (here - next) * (log_rank[i + 1] - log_rank[i]);
      const double end = std::clamp(std::floor(std::exp(x)), begin, items_);
      close(end, up_to(end), here > 0);
    }
    const double all = over == Over::count ? up_to(items_) : place_weight_[c];
    close(items_, all, value[(nodes - 1) * places + c] > 0);
  }
  return over == Over::count ? total : total / total_weight_;
}

OneStepLogits<double> NodeRecorder::with_ends(OneStepLogits<double> nodes) const {
  const auto extended = [this](const Vector& cells) {
    const std::vector<double> at = interpolated(cells.data());
    Vector all(cells.size() + static_cast<Index>(targets_.ends()));
    all << cells, Eigen::Map<const Vector>(at.data() + targets_.rows, static_cast<Index>(targets_.ends()));
    return all;
  };
  return {[extended, log_odds = nodes.log_odds](const double& scale) { return extended(log_odds(scale)); },
          extended(nodes.margin)};
}

std::vector<double> NodeRecorder::interpolated(const double* per_cell) const {
  const Eigen::Map<const Matrix> values(per_cell, nodes_.block, static_cast<Index>(nodes_.blocks.size()));
  const Matrix at_ranks = rank_parts_ * values.transpose();
  std::vector<double> chosen(targets_.ranks.size());
  for (std::size_t i = 0; i < chosen.size(); ++i)
    chosen[i] = at_ranks(static_cast<Index>(i), targets_.places[i]);
  return chosen;
}

const Observation& NodeRecorder::shown(const Observation& seen) {
  if (!interpolates()) return seen;
  const auto each = [](std::vector<double> values, auto f) {
    std::ranges::transform(values, values.begin(), f);
    return values;
  };
  shown_.log_odds = interpolated(seen.log_odds.data());
  shown_.error = each(shown_.log_odds, [](double x) { return logistic(x); });
  // Without noise the excess loss is a function of the log-odds, which is accurate for tiny values; with
  // noise it has zeros, so only the excess loss itself is smooth.
  shown_.excess_loss =
      noisy_ ? each(interpolated(seen.excess_loss.data()), [](double x) { return std::max(x, 0.0); })
             : each(shown_.log_odds, [](double x) { return softplus(x); });
  shown_.advantage = interpolated(seen.advantage.data());
  if (answers_ && noisy_) shown_.mean_log = interpolated(seen.mean_log.data());
  return shown_;
}

const std::vector<double>& NodeRecorder::shown(const std::vector<double>& per_cell) {
  if (!interpolates()) return per_cell;
  return shown_cells_ = interpolated(per_cell.data());
}

}  // namespace rarefact
