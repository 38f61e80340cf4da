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
    // A row of one block shows its places in turn, so real ranks, too, have a place.
    const double place = std::fmod(before == std::round(before) ? before : static_cast<double>(i), size);
    ranks[i] = (before - place) / size + 1;
    places[i] = static_cast<Index>(place);
  }
}

NodeRecorder::NodeRecorder(const std::vector<Cell>& cells, const ClassNodes& nodes, const SmoothLaw& law,
                           const NodeTargets& targets, bool noisy, NodeRun& run)
    : Recorder(run.steps, run.ending),
      nodes_(nodes),
      law_(law),
      targets_(targets),
      noisy_(noisy),
      run_(run),
      weights_(weights_of(cells, nodes.size())),
      items_(std::round(law.classes / static_cast<double>(nodes.block))) {
  for (Index c = 0; c < nodes.block; ++c) {
    place_weight_.push_back(weight_of_place(c, items_));
    total_weight_ += place_weight_.back();
  }
  run_.rank_values.resize(class_metrics().size());
  if (!interpolates()) return;
  for (Index end = 0; end < ends(); ++end) weights_.add(0, 0);
  rank_parts_ = interpolation_weights(nodes.blocks, targets.ranks);
}

double NodeRecorder::weight_of_place(Index place, double ranks) const {
  if (ranks < 1) return 0;
  const QuadratureRule rule = panel_rule(ranks, usual_panel_order);
  double sum = 0;
  for (std::size_t i = 0; i < rule.size(); ++i)
    sum += rule.count[i] * law_.weight(nodes_.rank(rule.rank[i], place));
  return sum;
}

void NodeRecorder::add(const Seen& seen, const Seen& chosen, std::size_t first) {
  const std::size_t nodes = nodes_.size(), ends = weights_.size() - nodes, rows = targets_.rows;
  Seen counted;
  for (const auto field : {&Seen::error, &Seen::log_odds, &Seen::excess_loss, &Seen::advantage}) {
    const double *at_nodes = (seen.*field).data(), *beyond = (chosen.*field).data() + first + rows;
    (counted.*field).assign(at_nodes, at_nodes + nodes);
    (counted.*field).insert((counted.*field).end(), beyond, beyond + ends);
  }
  std::vector<double> sums = totals<double>(class_metrics(), counted, weights_), values(weights_.size());
  for (std::size_t m = 0; m < sums.size(); ++m) {
    const MetricRow& metric = *class_metrics()[m];
    if (metric.classes().positive) {
      metric.classes().value(counted, 0, nodes, values.data());
      sums[m] = total_of_steps(values, metric.classes().over);
    }
    if (!metric.per_class()) continue;
    std::vector<double>& at_ranks = run_.rank_values[m];
    at_ranks.resize(at_ranks.size() + rows);
    metric.classes().value(chosen, first, first + rows, at_ranks.data() + at_ranks.size() - rows);
  }
  run_.totals.insert(run_.totals.end(), sums.begin(), sums.end());
}

void NodeRecorder::add_answers(const Observation& seen, const double* error, const double* log_odds,
                               const Vector& mean_log) {
  std::vector<double> node_mass = weights_.mass;
  node_mass.resize(nodes_.size());
  const double right = total_of_steps(seen.advantage, Over::probability);
  run_.top1_error.push_back(top1_error(seen, node_mass, right, law_.classes));
  std::vector<double> means(mean_log.begin(), mean_log.end());
  if (answers_->noisy() && !interpolates()) means = answers_->mean_log(seen, node_mass, log_odds);
  const std::vector<double> losses = answers_->losses(log_odds, means.data());
  run_.answer_error.insert(run_.answer_error.end(), error, error + answers_->size());
  run_.answer_loss.insert(run_.answer_loss.end(), losses.begin(), losses.end());
}

/// A step function of the rank is no business of a quadrature: where the value changes its sign between
/// two nodes the rank of the change is sought, linearly in ln k, and whole classes are counted on its sides.
double NodeRecorder::total_of_steps(const std::vector<double>& value, Over over) const {
  const std::size_t nodes = nodes_.blocks.size(), places = place_weight_.size();
  const std::vector<double>& log_rank = nodes_.blocks.log_rank;
  double total = 0;
  for (std::size_t c = 0; c < places; ++c) {
    const auto up_to = [&](double end) {
      if (over != Over::count) return weight_of_place(static_cast<Index>(c), end);
      return law_.fan_in && end >= 1 ? queries_of_ranks(law_, end) : end;
    };
    double begin = 0, before = 0;  // of the present stretch of one sign
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
    Vector all(cells.size() + ends());
    all << cells, interpolated(cells.data()).tail(ends());
    return all;
  };
  return {[extended, log_odds = nodes.log_odds](const double& scale) { return extended(log_odds(scale)); },
          extended(nodes.margin)};
}

Vector NodeRecorder::interpolated(const double* per_cell) const {
  const Eigen::Map<const Matrix> values(per_cell, nodes_.block, static_cast<Index>(nodes_.blocks.size()));
  const Matrix at_ranks = rank_parts_ * values.transpose();
  Vector chosen(at_ranks.rows());
  for (Index i = 0; i < chosen.size(); ++i) chosen(i) = at_ranks(i, targets_.places[i]);
  return chosen;
}

void NodeRecorder::state(std::size_t record, const Observation& seen) {
  record_ = record;
  if (!interpolates()) {
    add(seen, seen, nodes_.size());
    const std::size_t nodes = nodes_.size();
    if (answers_) add_answers(seen, seen.error.data() + nodes, seen.log_odds.data() + nodes, {});
    return;
  }
  // Without noise the excess loss is a function of the log-odds, accurate where it is tiny; with noise it has
  // zeros, so that only it itself is smooth.
  const Vector log_odds = interpolated(seen.log_odds.data());
  const Vector excess_loss = noisy_ ? Vector(interpolated(seen.excess_loss.data()).cwiseMax(0.0))
                                    : Vector(log_odds.unaryExpr([](double x) { return softplus(x); }));
  const Vector error = log_odds.unaryExpr([](double x) { return logistic(x); });
  const Vector advantage = interpolated(seen.advantage.data());
  const auto list = [](const Vector& x) { return std::vector<double>(x.begin(), x.end()); };
  add(seen, {list(error), list(log_odds), list(excess_loss), list(advantage)}, 0);
  if (!answers_) return;
  add_answers(seen, error.data(), log_odds.data(),
              answers_->noisy() ? interpolated(seen.mean_log.data()) : Vector());
}

void NodeRecorder::cells(const std::string& variable, const std::vector<double>& per_cell) {
  const Vector found = interpolates() ? interpolated(per_cell.data()) : Vector();
  const double* first = interpolates() ? found.data() : per_cell.data() + nodes_.size();
  std::copy(first, first + targets_.rows, present(variable, targets_.rows));
}

}  // namespace rarefact
