#include <cmath>

#include "model/column_layout.hpp"
#include "model/logit_ranks.hpp"
#include "model/margin.hpp"

namespace rarefact {

namespace {

/// The size of which margins of class l tie. Random rounding must not decide their sign at W = 0.
double size_at(Index l, const RandomRounding* rounding, const Vector* sizes) {
  const double size = rounding ? RandomRounding::logit_size : 0;
  return sizes && sizes->size() > 0 ? std::max(size, (*sizes)(l)) : size;
}

}  // namespace

void ColumnLayout::pairs_observation(const State& w, Observation& observation, const Workers& workers,
                                     const RandomRounding* rounding, const Vector* sizes) const {
  State moved;
  if (rounding) rounding->logits(moved = w);
  const State& s = rounding ? moved : w;
  const double log_wrong = std::log(classes_ - 1);
  const Index columns = scaled_training_.size();
  observation.resize(columns);
  observation.top.assign(observation.top_ranks.size(),
                         std::vector<double>(static_cast<std::size_t>(columns)));
  workers.for_tiles(columns, column_tile, [&](Index begin, Index end) {
    for (Index l = begin; l < end; ++l) {
      const double margin = s.right(l) - s.wrong(l);
      observation.set(l, logistic(log_wrong - margin), log_wrong - margin,
                      excess_loss_of_margin(margin, classes_, label_noise_),
                      untied(margin, size_at(l, rounding, sizes)),
                      loss_drop_of_margin(margin, classes_, label_noise_));
      const double advantage = observation.advantage[l];
      // All wrong logits are equal.
      const LogitRank<double> rank{advantage < 0 ? classes_ - 1 : 0, advantage == 0 ? classes_ : 1};
      for (std::size_t i = 0; i < observation.top.size(); ++i)
        observation.top[i][l] = advantage == advantage ? rank.missed(observation.top_ranks[i]) : advantage;
    }
  });
}

void ColumnLayout::pairs_gradient(const State& w, const Sample* sample, Gradient<State>& gradient,
                                  const Workers& workers, const RandomRounding* rounding,
                                  const Vector* sizes) const {
  State& g = gradient.task;
  const Index columns = sample ? std::ssize(sample->query) : scaled_training_.size();
  if (sample || g.stored_groups || g.right.size() != columns) {
    g = State();
    g.structure = laws_.structure;
    if (sample) g.stored_groups = std::make_shared<const std::vector<Index>>(sample->query);
    g.right.resize(columns);
    g.wrong.resize(columns);
  }
  const bool moved = rounding && !sample;
  if (moved) {
    g.right = w.right;
    g.wrong = w.wrong;
    rounding->logits(g);
  }
  const State& s = moved ? g : w;
  // First pass: margins, into g.right; their minimum (of each tile, into g.wrong) tells whether the largest
  // error is about to underflow.
  const double log_wrong = std::log(classes_ - 1);
  workers.for_tiles(columns, column_tile, [&](Index begin, Index end) {
    auto margin = g.right.segment(begin, end - begin);
    if (sample) {
      for (Index i = begin; i < end; ++i) g.right(i) = s.right(sample->query[i]) - s.wrong(sample->query[i]);
      if (rounding) rounding->logits(begin, margin);
    } else {
      margin = s.right.segment(begin, end - begin) - s.wrong.segment(begin, end - begin);
    }
    g.wrong(begin) = margin.minCoeff<Eigen::PropagateNaN>();
  });
  double min_margin = g.wrong(0);
  for (Index l = 0; l < columns; l += column_tile) min_margin = std::min(min_margin, g.wrong(l));
  const double largest_log_odds = log_wrong - min_margin;
  const double settled = label_noise_ * (classes_ - 1) / classes_;  // the error at the fixed point
  // If recovered facts are removed, the errors of the others are at least 1/K.
  const bool large = label_noise_ > 0 || removes_recovered_;
  const int shift = large ? 0 : underflow_shift(std::min(largest_log_odds, 0.0) - log_wrong, log_wrong);
  gradient.exponent = (sample ? 0 : exponent_) + shift;
  const double shift_nats = shift * std::log(2.0);
  const double* weights = sample ? sample->weight.data() : scaled_training_.data();
  workers.for_tiles(columns, column_tile, [&](Index begin, Index end) {
    auto right = g.right.segment(begin, end - begin).array();
    auto wrong = g.wrong.segment(begin, end - begin).array();
    const Eigen::Map<const Eigen::ArrayXd> p(weights + begin, end - begin);
    if (removes_recovered_) {
      const auto tie = Eigen::ArrayXd::NullaryExpr(end - begin, [&](Index i) {
        return tie_margin(size_at(sample ? sample->query[begin + i] : begin + i, rounding, sizes));
      });
      right = (right > tie).select(0, -p * (1 / (1 + (right - log_wrong).exp()) - settled));
    } else if (shift == 0) {
      right = -p * (1 / (1 + (right - log_wrong).exp()) - settled);
    } else {
      // -p error / 2^shift, where errors are e^min(λ, 0) / (1 + e^-|λ|), λ =
      // log_wrong - margin.
      right =
          -p * ((log_wrong - right).min(0.0) - shift_nats).exp() / (1 + (-(log_wrong - right).abs()).exp());
    }
    wrong = right / (1 - classes_);
  });
}

}  // namespace rarefact
