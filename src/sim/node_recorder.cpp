#include "sim/node_recorder.hpp"

#include <algorithm>
#include <cmath>

#include "model/log_odds.hpp"
#include "model/rank_interpolation.hpp"

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

NodeRecorder::NodeRecorder(std::vector<Cell> cells, const QuadratureRule& rule, const SmoothLaw& law,
                           Index block, NodeRun& run)
    : cells_(std::move(cells)),
      rule_(rule),
      law_(law),
      block_(block),
      run_(run),
      items_(std::round(law.classes / static_cast<double>(block))),
      total_weight_(0) {
  for (Index c = 0; c < block; ++c) {
    position_weight_.push_back(weight_of_position(law, block, c, items_));
    total_weight_ += position_weight_.back();
  }
}

void NodeRecorder::add_totals(const Observation& seen, const std::vector<double>& ends) {
  double error = 0, excess_loss = 0, soft_recovery = 0, least = 1, most = 0;
  const std::size_t node_cells = rule_.size() * static_cast<std::size_t>(block_);
  for (std::size_t c = 0; c < node_cells; ++c) {
    const double mass = cells_[c].classes * cells_[c].probability;
    error += mass * seen.error[c];
    excess_loss += mass * seen.excess_loss[c];
    soft_recovery += mass * logistic(-seen.log_odds[c]);
    least = std::min(least, seen.error[c]);
    most = std::max(most, seen.error[c]);
  }
  for (const double end : ends) {
    least = std::min(least, end);
    most = std::max(most, end);
  }
  run_.error.push_back(error);
  run_.excess_loss.push_back(excess_loss);
  run_.gap.push_back(most - least);
  run_.soft_recovery.push_back(soft_recovery);
  add_recovered(seen);
}

/// A step function of the rank is no business of a quadrature: where the advantage changes its sign between
/// two nodes the rank of the change is sought, linearly in ln k, and whole classes are counted on its sides.
void NodeRecorder::add_recovered(const Observation& seen) {
  const std::size_t nodes = rule_.size(), b = static_cast<std::size_t>(block_);
  double count = 0, weight = 0;
  for (std::size_t c = 0; c < b; ++c) {
    const auto advantage = [&](std::size_t i) { return seen.advantage[i * b + c]; };
    double begin = 0, weight_before = 0;  // of the present stretch of one sign
    const auto close = [&](double end, double weight_up_to_end, bool recovered) {
      if (recovered) {
        count += end - begin;
        weight += weight_up_to_end - weight_before;
      }
      begin = end;
      weight_before = weight_up_to_end;
    };
    for (std::size_t i = 0; i + 1 < nodes; ++i) {
      const double here = advantage(i), next = advantage(i + 1);
      if ((here > 0) == (next > 0)) continue;
      const double x = rule_.log_rank[i] + here / (here - next) * (rule_.log_rank[i + 1] - rule_.log_rank[i]);
      const double end = std::clamp(std::floor(std::exp(x)), begin, items_);
      close(end, weight_of_position(law_, block_, static_cast<Index>(c), end), here > 0);
    }
    close(items_, position_weight_[c], advantage(nodes - 1) > 0);
  }
  run_.recovered_count.push_back(count);
  run_.recovered_weight.push_back(weight / total_weight_);
}

void WeightlessRanks::state(std::size_t, const Observation& seen) {
  const auto first = static_cast<std::ptrdiff_t>(rule_.size());
  const auto end = first + static_cast<std::ptrdiff_t>(ranks_);
  run_.rank_error.insert(run_.rank_error.end(), seen.error.begin() + first, seen.error.begin() + end);
  run_.rank_excess_loss.insert(run_.rank_excess_loss.end(), seen.excess_loss.begin() + first,
                               seen.excess_loss.begin() + end);
  add_totals(seen, {seen.error.begin() + end, seen.error.end()});
}

void WeightlessRanks::push(std::size_t, const std::vector<double>& per_cell) {
  const auto first = per_cell.begin() + static_cast<std::ptrdiff_t>(rule_.size());
  run_.rank_push.insert(run_.rank_push.end(), first, first + static_cast<std::ptrdiff_t>(ranks_));
}

InterpolatedRanks::InterpolatedRanks(std::vector<Cell> cells, const QuadratureRule& rule,
                                     const SmoothLaw& law, Index block, const std::vector<double>& ranks,
                                     bool noisy, NodeRun& run)
    : NodeRecorder(std::move(cells), rule, law, block, run), ranks_(ranks.size()), noisy_(noisy) {
  std::vector<double> all = ranks, blocks;
  all.push_back(1);
  all.push_back(law.classes);
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
  weights_ = interpolation_weights(rule, blocks);
}

OneStepLogits<double> InterpolatedRanks::with_ends(OneStepLogits<double> nodes) const {
  const auto extended = [this](const Vector& cells) {
    Vector all(cells.size() + 2);
    all << cells, at_ranks(cells.data()).tail(2);
    return all;
  };
  return {[extended, log_odds = nodes.log_odds](const double& scale) { return extended(log_odds(scale)); },
          extended(nodes.margin)};
}

Vector InterpolatedRanks::at_ranks(const double* per_cell) const {
  const auto nodes = static_cast<Index>(rule_.size());
  const Eigen::Map<const Matrix> values(per_cell, block_, nodes);
  const Matrix everywhere = weights_ * values.transpose();  // ranks x positions
  Vector chosen(everywhere.rows());
  for (Index i = 0; i < chosen.size(); ++i) chosen(i) = everywhere(i, position_[static_cast<std::size_t>(i)]);
  return chosen;
}

void InterpolatedRanks::state(std::size_t, const Observation& seen) {
  const Vector log_odds = at_ranks(seen.log_odds.data());
  const Vector error = log_odds.unaryExpr([](double x) { return logistic(x); });
  // Without noise the excess loss is a function of the log-odds, accurate where it is tiny; with noise it has
  // zeros, so that only it itself is smooth.
  const Vector excess_loss = noisy_ ? Vector(at_ranks(seen.excess_loss.data()).cwiseMax(0.0))
                                    : Vector(log_odds.unaryExpr([](double x) { return softplus(x); }));
  run_.rank_error.insert(run_.rank_error.end(), error.begin(), error.begin() + static_cast<Index>(ranks_));
  run_.rank_excess_loss.insert(run_.rank_excess_loss.end(), excess_loss.begin(),
                               excess_loss.begin() + static_cast<Index>(ranks_));
  add_totals(seen, {error.begin() + static_cast<Index>(ranks_), error.end()});
}

void InterpolatedRanks::push(std::size_t, const std::vector<double>& per_cell) {
  const Vector push = at_ranks(per_cell.data());
  run_.rank_push.insert(run_.rank_push.end(), push.begin(), push.begin() + static_cast<Index>(ranks_));
}

}  // namespace rarefact
