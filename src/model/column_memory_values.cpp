#include <algorithm>

#include "model/column_memory.hpp"
#include "model/column_residual.hpp"

namespace rarefact {

/// A column of logits written out by values, and how many answers share each. Room for it is the thread's.
struct ColumnMemory::Values {
  Eigen::Map<Vector> logits, counts;
};

ColumnMemory::Values ColumnMemory::values_of(const State& s, Index l) const {
  static thread_local Vector room;
  const ColumnStructure& structure = *laws_.structure;
  const auto cell = static_cast<std::size_t>(l);
  const bool two = structure.two_numbers();
  const Index first = two ? 0 : structure.middle_begin[cell],
              middles = two ? 0 : structure.middle_begin[cell + 1] - first;
  const double others = two ? classes_ - 1 : structure.other_times[cell];
  const Index size = 1 + middles + (others > 0 ? 1 : 0);
  if (room.size() < 2 * size) room.resize(2 * size);
  Values values{{room.data(), size}, {room.data() + size, size}};
  values.logits(0) = s.own(l);
  values.counts(0) = two ? 1 : structure.own_times[cell];
  for (Index i = 0; i < middles; ++i) {
    values.logits(i + 1) = s.middle(first + i);
    values.counts(i + 1) = structure.middle_times[first + i];
  }
  if (others > 0) {
    values.logits(size - 1) = s.other(l);
    values.counts(size - 1) = others;
  }
  return values;
}

using CountedColumn = CountedAnswers<Eigen::Map<Vector>, Eigen::Map<Vector>>;

void ColumnMemory::evaluate_values(const State& s, Gradient<State>* gradient, Observation* observation,
                                   const Workers& workers, const RandomRounding* rounding) const {
  const Index columns = scaled_probability_.size();
  const Background<double> background{laws_.other};
  const double tie = rounding ? RandomRounding::logit_size : 0;
  if (observation) observation->resize(static_cast<std::size_t>(columns));
  if (gradient && gradient->task.structure != laws_.structure) gradient->task = zero();
  // Columns have a unit of their own until all are known.
  std::vector<int> shift(static_cast<std::size_t>(gradient ? columns : 0), 0);
  workers.for_tiles(columns, column_tile, [&](Index begin, Index end) {
    Vector logits;
    for (Index l = begin; l < end; ++l) {
      const QueryAnswers<double>& law = laws_.query[l];
      Values values = values_of(s, l);
      Eigen::Map<Vector>& column = values.logits;
      const RightLogits<double> right = logits_of_right(law, column);
      const std::vector<double> softmax = inside(law, column, right);
      if (observation) logits = column;
      ColumnOdds<double> odds = to_wrong_ratios(right, CountedColumn{{column, law.right_at}, values.counts});
      if (rounding) odds.advantage = untied(odds.advantage, tie);
      if (observation) {
        observation->log_odds[l] = odds.log_odds;
        observation->error[l] = logistic(odds.log_odds);
        observation->advantage[l] = odds.advantage;
        observation->excess_loss[l] = excess_loss(odds, law, right.largest,
                                                  CountedAnswers<const Vector&, Eigen::Map<Vector>>{
                                                      {logits, law.right_at, background}, values.counts});
      }
      if (!gradient) continue;
      if (removes_recovered_ && odds.advantage > 0) {
        column.setZero();
      } else {
        shift[l] = to_residual(law, odds, softmax, scaled_probability_(l), background, classes_, column,
                               [&] { return values.counts.dot(column); });
      }
      put(column, l, gradient->task);
    }
  });
  if (!gradient) return;
  const int unit = *std::ranges::max_element(shift);
  gradient->exponent = exponent_ + unit;
  for (Index l = 0; l < columns; ++l) {
    const int change = shift[l] - unit;
    if (change == 0) continue;
    Eigen::Map<Vector> column = values_of(gradient->task, l).logits;
    for (double& x : column) x = std::ldexp(x, change);
    put(column, l, gradient->task);
  }
}

void ColumnMemory::put(const Eigen::Map<Vector>& column, Index l, State& x) const {
  const auto cell = static_cast<std::size_t>(l);
  const Index first = laws_.structure->middle_begin[cell],
              middles = laws_.structure->middle_begin[cell + 1] - first;
  x.own(l) = column(0);
  x.middle.segment(first, middles) = column.segment(1, middles);
  x.other(l) = column.size() > middles + 1 ? column(middles + 1) : 0;
}

/// The law of columns of two numbers.
QueryAnswers<double> ColumnMemory::one_answer() const {
  QueryAnswers<double> one;
  one.add(0, 1 - label_noise_, label_noise_ / classes_, 1, true);
  return one;
}

/// What laws other than the identity show besides, column by column.
void ColumnMemory::observe_answers(const State& s, double logit_size, Observation& seen) const {
  seen.log_answers.clear();
  seen.top_share.clear();
  const QueryAnswers<double> one = one_answer();
  std::vector<double> log_sums;  // ln Σ_k e^S of every column
  for (Index l = 0; l < laws_.structure->groups(); ++l) {
    const auto cell = static_cast<std::size_t>(l);
    const QueryAnswers<double>& law = laws_.structure->two_numbers() ? one : laws_.query[cell];
    Values values = values_of(s, l);
    Eigen::Map<Vector>& column = values.logits;
    const RightLogits<double> right = logits_of_right(law, column);
    const double log_sum = right.largest + right.log_sum + softplus(seen.log_odds[cell]);
    log_sums.push_back(log_sum);
    for (std::size_t i = share_begin_[cell]; i < share_begin_[cell + 1]; ++i)
      seen.log_answers.push_back(column(share_value_[i]) - log_sum);
    TopShare<double> share(seen.advantage[cell], tie_margin(logit_size));
    for (std::size_t i = 0; i < law.size(); ++i) {
      if (law.right[i]) share.add_right(right.largest - column(law.at[i]), law.share[i], law.times[i]);
    }
    if (share.wrong_count()) {
      to_wrong_ratios(right, CountedColumn{{column, law.right_at}, values.counts});
      for (Index k = 0; k < column.size(); ++k) share.add_wrong(column(k), law.share_at(k), values.counts(k));
    }
    seen.top_share.push_back(share.mean() / (1 - label_noise_));
  }
  if (label_noise_ > 0) observe_means(s, log_sums, seen);
}

Expansion<double> ColumnMemory::expansion(const State& w, const State& direction, double x,
                                          const Observation&, const Workers& workers) const {
  const State d = all_held(direction);
  const Index columns = scaled_probability_.size();
  const bool two = laws_.structure->two_numbers();
  const Background<double> background{label_noise_ / classes_};
  const QueryAnswers<double> one = one_answer();
  std::vector<Expansion<double>> sums(static_cast<std::size_t>((columns + column_tile - 1) / column_tile));
  workers.for_tiles(columns, column_tile, [&](Index begin, Index end) {
    Expansion<double>& sum = sums[begin / column_tile];
    UpdatedColumn<double> column;
    for (Index l = begin; l < end; ++l) {
      const Values values = values_of(w, l);
      column.resize(values.logits.size());
      column.logit() = values.logits;
      column.times() = values.counts;
      column.change() = values_of(d, l).logits;
      column.set_background(0, values.logits.size(), background);
      column.set_answers(two ? one : laws_.query[l]);
      const double count = laws_.structure->count[l];
      sum.add(expansion_of(column, x), count, count * std::ldexp(scaled_probability_(l), exponent_));
    }
  });
  Expansion<double> total;
  for (const Expansion<double>& sum : sums) total.add(sum, 1, 1);
  return total;
}

/// As if every answer of a column had its `other`, and what the answers that the query has differ by.
void ColumnMemory::observe_means(const State& s, const std::vector<double>& log_sums,
                                 Observation& seen) const {
  const ColumnStructure& structure = *laws_.structure;
  double common = 0;
  for (Index l = 0; l < structure.groups(); ++l) {
    common += structure.count[l] * std::ldexp(scaled_probability_(l), exponent_) * (s.other(l) - log_sums[l]);
  }
  seen.mean_log.assign(answer_types_, common);
  for (Index l = 0; l < structure.groups(); ++l) {
    const auto cell = static_cast<std::size_t>(l);
    const double weight = twins_[cell] * std::ldexp(scaled_probability_(l), exponent_);
    for (std::size_t i = share_begin_[cell]; i < share_begin_[cell + 1]; ++i) {
      const double value =
          share_value_[i] == 0 ? s.own(l) : s.middle(structure.middle_begin[cell] + share_value_[i] - 1);
      seen.mean_log[share_type_[i]] += weight * (value - s.other(l));
    }
  }
}

/// Where the answers of every query are among the values of its column.
void ColumnMemory::set_shares(const Units& units) {
  std::vector<std::size_t> first;
  for (const UnitGroup& unit : units.groups) {
    first.push_back(answer_types_);
    answer_types_ += unit.answer_twins.size();
  }
  share_begin_ = {0};
  Index column = 0;
  for (const auto& [group, type] : query_types(units)) {
    const UnitGroup& unit = units.groups[group];
    const QueryType& query = unit.queries[type];
    twins_.push_back(query.twins);
    for (const AnswerShare& share : query.answers) {
      share_type_.push_back(first[group] + static_cast<std::size_t>(share.type));
      share_value_.push_back(laws_.structure->two_numbers() ? 0
                                                            : laws_.value_of(column, share, label_noise_));
    }
    share_begin_.push_back(share_type_.size());
    ++column;
  }
}

}  // namespace rarefact
