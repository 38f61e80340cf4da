#include "sim/node_recorder.hpp"

#include <algorithm>
#include <cmath>

#include "model/log_odds.hpp"

namespace rarefact {

namespace {

/// Σ of the law's weights over position c of the first `blocks` blocks.
double weight_of_position(const SmoothLaw& law, Index block, Index position, double blocks) {
  if (blocks < 1) return 0;
  const QuadratureRule rule = panel_rule(blocks, usual_panel_order);
  const double b = static_cast<double>(block);
  double sum = 0;
  for (std::size_t i = 0; i < rule.size(); ++i) {
    sum += rule.count[i] * law.weight(b * (rule.rank[i] - 1) + static_cast<double>(position) + 1);
  }
  return sum;
}

}  // namespace

NodeRecorder::NodeRecorder(const std::vector<Cell>& cells, const QuadratureRule& rule, const SmoothLaw& law,
                           Index block, const std::vector<double>& ranks, bool interpolates, bool noisy,
                           NodeRun& run)
    : rule_(rule),
      law_(law),
      block_(block),
      ranks_(ranks.size()),
      interpolates_(interpolates),
      noisy_(noisy),
      run_(run),
      weights_(weights_of(cells, rule.size() * static_cast<std::size_t>(block))),
      items_(std::round(law.classes / static_cast<double>(block))) {
  for (Index c = 0; c < block; ++c) {
    position_weight_.push_back(weight_of_position(law, block, c, items_));
    total_weight_ += position_weight_.back();
  }
  run_.rank_values.resize(class_metrics().size());
  if (!interpolates) return;
  std::vector<double> all = ranks, blocks;
  for (const double end : {1.0, law.classes}) {
    weights_.add(0, 0);
    all.push_back(end);
  }
  const double b = static_cast<double>(block);
  for (std::size_t i = 0; i < all.size(); ++i) {
    // A row of one block shows its positions in turn, so real ranks, too, have a position.
    const double whole = std::round(all[i] - 1);
    const bool integer = all[i] - 1 == whole;
    const double position =
        integer ? std::fmod(whole, b) : static_cast<double>(i % static_cast<std::size_t>(block));
    position_.push_back(static_cast<Index>(position));
    blocks.push_back((all[i] - 1 - position) / b + 1);
  }
  interpolation_ = interpolation_weights(rule, blocks);
}

void NodeRecorder::add(const Seen& seen, const Seen& chosen, std::size_t first) {
  const std::size_t nodes = rule_.size() * static_cast<std::size_t>(block_), ends = weights_.size() - nodes;
  Seen counted;
  for (const auto field : {&Seen::error, &Seen::log_odds, &Seen::excess_loss, &Seen::advantage}) {
    const double *at_nodes = (seen.*field).data(), *beyond = (chosen.*field).data() + first + ranks_;
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
    at_ranks.resize(at_ranks.size() + ranks_);
    metric.classes().value(chosen, first, first + ranks_, at_ranks.data() + at_ranks.size() - ranks_);
  }
  run_.totals.insert(run_.totals.end(), sums.begin(), sums.end());
}

void NodeRecorder::add_answers(const Observation& seen, const double* log_odds) {
  if (!answers_) return;
  std::vector<double> node_mass = weights_.mass;
  node_mass.resize(rule_.size());
  const double right = total_of_steps(seen.advantage, Over::probability);
  run_.top1_error.push_back(top1_error(seen, node_mass, right, law_.classes));
  std::vector<double> mean_log;
  if (answers_->noisy()) {
    if (interpolates_) {
      const Vector means = interpolated(seen.mean_log.data());
      mean_log.assign(means.begin(), means.end());
    } else {
      mean_log = answers_->mean_log(seen, node_mass, log_odds);
    }
  }
  const std::vector<double> losses = answers_->losses(log_odds, mean_log.data());
  run_.answer_loss.insert(run_.answer_loss.end(), losses.begin(), losses.end());
}

/// A step function of the rank is no business of a quadrature: where the value changes its sign between
/// two nodes the rank of the change is sought, linearly in ln k, and whole classes are counted on its sides.
double NodeRecorder::total_of_steps(const std::vector<double>& value, Over over) const {
  const std::size_t nodes = rule_.size(), b = static_cast<std::size_t>(block_);
  double total = 0;
  for (std::size_t c = 0; c < b; ++c) {
    const auto up_to = [&](double end) {
      if (over == Over::count) return law_.fan_in && end >= 1 ? queries_of_ranks(law_, end) : end;
      return weight_of_position(law_, block_, static_cast<Index>(c), end);
    };
    double begin = 0, before = 0;  // of the present stretch of one sign
    const auto close = [&](double end, double up_to_end, bool positive) {
      if (positive) total += up_to_end - before;
      begin = end;
      before = up_to_end;
    };
    for (std::size_t i = 0; i + 1 < nodes; ++i) {
      const double here = value[i * b + c], next = value[(i + 1) * b + c];
      if ((here > 0) == (next > 0)) continue;
      const double x = rule_.log_rank[i] + here / (here - next) * (rule_.log_rank[i + 1] - rule_.log_rank[i]);
      const double end = std::clamp(std::floor(std::exp(x)), begin, items_);
      close(end, up_to(end), here > 0);
    }
    const double all = over == Over::count ? queries_of_ranks(law_, items_) : position_weight_[c];
    close(items_, all, value[(nodes - 1) * b + c] > 0);
  }
  return over == Over::count ? total : total / total_weight_;
}

OneStepLogits<double> NodeRecorder::with_ends(OneStepLogits<double> nodes) const {
  const auto extended = [this](const Vector& cells) {
    Vector all(cells.size() + 2);
    all << cells, interpolated(cells.data()).tail(2);
    return all;
  };
  return {[extended, log_odds = nodes.log_odds](const double& scale) { return extended(log_odds(scale)); },
          extended(nodes.margin)};
}

Vector NodeRecorder::interpolated(const double* per_cell) const {
  const auto nodes = static_cast<Index>(rule_.size());
  const Eigen::Map<const Matrix> values(per_cell, block_, nodes);
  const Matrix everywhere = interpolation_ * values.transpose();  // ranks x positions
  Vector chosen(everywhere.rows());
  for (Index i = 0; i < chosen.size(); ++i) chosen(i) = everywhere(i, position_[static_cast<std::size_t>(i)]);
  return chosen;
}

void NodeRecorder::state(std::size_t, const Observation& seen) {
  if (!interpolates_) {
    add(seen, seen, rule_.size());
    return add_answers(seen, seen.log_odds.data() + rule_.size());
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
  add_answers(seen, log_odds.data());
}

void NodeRecorder::push(std::size_t, const std::vector<double>& per_cell) {
  const Vector found = interpolates_ ? interpolated(per_cell.data()) : Vector();
  const double* first = interpolates_ ? found.data() : per_cell.data() + rule_.size();
  run_.rank_push.insert(run_.rank_push.end(), first, first + ranks_);
}

}  // namespace rarefact
