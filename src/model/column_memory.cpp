#include "model/column_memory.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "algebra/singular_values.hpp"
#include "model/column_loss.hpp"
#include "model/log_odds.hpp"
#include "model/margin.hpp"

namespace rarefact {

namespace {

/// Margins become -weight error / 2^shift; the second factor is e^{min(λ, 0) - shift ln 2} / (1 + e^-|λ|)
/// with λ = log_wrong - margin.
template <class Margins, class Weights>
void weigh_errors(Margins& own, const Weights& weight, double log_wrong, double shift_nats) {
  own = -weight * ((log_wrong - own).min(0.0) - shift_nats).exp() / (1 + (-(log_wrong - own).abs()).exp());
}

/// Columns of two numbers, if every query has one answer.
ColumnLaws two_numbers(const ClassGroups& queries, std::optional<double> answers) {
  ColumnLaws laws;
  laws.structure = square_columns(queries.count);
  if (!answers) return laws;
  ColumnStructure s = *laws.structure;
  s.answers = *answers;
  laws.structure = std::make_shared<const ColumnStructure>(std::move(s));
  return laws;
}

std::optional<double> answers_of(const Units* units) {
  return units ? std::optional(units->answers()) : std::nullopt;
}

ColumnLaws laws_of(const Population& population) {
  if (population.units && !deterministic(*population.units)) return column_laws(population);
  return two_numbers(population.queries, answers_of(population.units));
}

}  // namespace

ColumnMemory::ColumnMemory(const ClassGroups& queries, ColumnLaws laws, double answers, double label_noise,
                           bool removes_recovered)
    : laws_(std::move(laws)),
      scaled_probability_(
          Eigen::Map<const Vector>(queries.probability.data(), static_cast<Index>(queries.size()))),
      classes_(answers),
      label_noise_(label_noise),
      removes_recovered_(removes_recovered),
      exponent_(std::ilogb(scaled_probability_.maxCoeff())) {
  for (double& p : scaled_probability_) p = std::ldexp(p, -exponent_);
}

ColumnMemory::ColumnMemory(const Population& population, bool removes_recovered)
    : ColumnMemory(population.queries, laws_of(population), population.answers(), population.label_noise,
                   removes_recovered) {
  if (population.units) set_shares(*population.units);
}

ColumnMemory::ColumnMemory(const ClassGroups& queries, double answers, double label_noise)
    : ColumnMemory(queries, two_numbers(queries, answers), answers, label_noise, false) {}

ColumnMemory ColumnMemory::of_classes(const Population& population, bool removes_recovered) {
  const ClassGroups& groups = population.queries;
  ClassGroups classes;
  std::vector<Index> group;
  if (population.pairs) {
    classes.probability = population.pairs->probability;
    group = *population.query_group;
  } else {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const auto queries = static_cast<std::size_t>(groups.count[i]);
      classes.probability.insert(classes.probability.end(), queries, groups.probability[i]);
      group.insert(group.end(), queries, static_cast<Index>(i));
    }
  }
  classes.count.assign(classes.probability.size(), 1.0);
  const Population each{classes};  // of the identity as many answers as queries
  ColumnMemory memory(classes, two_numbers(classes, answers_of(population.units)),
                      population.units ? population.answers() : each.answers(), 0, removes_recovered);
  memory.group_ = std::move(group);
  if (population.units) {
    memory.share_value_.assign(classes.size(), 0);
    memory.share_begin_.resize(classes.size() + 1);
    std::iota(memory.share_begin_.begin(), memory.share_begin_.end(), std::size_t{0});
  }
  return memory;
}

std::vector<Cell> ColumnMemory::cells() const {
  std::vector<Cell> cells;
  for (Index l = 0; l < scaled_probability_.size(); ++l) {
    cells.push_back({group_.empty() ? l : group_[l], 0, laws_.structure->count[l],
                     std::ldexp(scaled_probability_(l), exponent_)});
  }
  return cells;
}

void ColumnMemory::evaluate(const State& w, Gradient<State>* gradient, Observation* observation,
                            const Workers& workers, const RandomRounding* rounding) const {
  State moved;
  if (rounding) rounding->logits(moved = w);
  const State& s = rounding ? moved : w;
  evaluate_at(s, gradient, observation, workers, rounding);
  if (observation && !share_begin_.empty()) {
    const double size = std::max({s.own.cwiseAbs().maxCoeff(), s.other.cwiseAbs().maxCoeff(),
                                  rounding ? RandomRounding::logit_size : 0});
    observe_answers(s, size, *observation);
  }
}

void ColumnMemory::evaluate_at(const State& s, Gradient<State>* gradient, Observation* observation,
                               const Workers& workers, const RandomRounding* rounding) const {
  const double log_wrong = std::log(classes_ - 1);
  const Index columns = scaled_probability_.size();
  if (!laws_.structure->two_numbers()) return evaluate_values(s, gradient, observation, workers, rounding);
  if (observation) {
    observation->resize(static_cast<std::size_t>(columns));
    workers.for_tiles(columns, column_tile, [&](Index begin, Index end) {
      for (Index l = begin; l < end; ++l) {
        const double margin = s.own(l) - s.other(l);
        observation->log_odds[l] = log_wrong - margin;
        observation->error[l] = logistic(log_wrong - margin);
        observation->excess_loss[l] = excess_loss_of_margin(margin, classes_, label_noise_);
        // Random rounding is no advantage: what counts classes would see it change its sign everywhere at W = 0.
        observation->advantage[l] = rounding ? untied(margin, RandomRounding::logit_size) : margin;
      }
    });
  }
  if (!gradient) return;

  if (gradient->task.own.size() != columns) gradient->task = zero();
  State& g = gradient->task;
  // First pass: margins, into g.own; their minimum tells whether the largest error is about to underflow.
  std::vector<double> least(static_cast<std::size_t>((columns + column_tile - 1) / column_tile));
  workers.for_tiles(columns, column_tile, [&](Index begin, Index end) {
    auto margin = g.own.segment(begin, end - begin);
    margin = s.own.segment(begin, end - begin) - s.other.segment(begin, end - begin);
    least[begin / column_tile] = margin.minCoeff<Eigen::PropagateNaN>();
  });
  const double largest_log_odds = log_wrong - *std::min_element(least.begin(), least.end());
  const double settled = label_noise_ * (classes_ - 1) / classes_;  // the error at the fixed point
  // Where recovered facts drop out, the errors of the others are 1/K and more.
  const double tie = rounding ? tie_margin(RandomRounding::logit_size) : 0;
  const bool large = label_noise_ > 0 || removes_recovered_;
  const int shift = large ? 0 : underflow_shift(std::min(largest_log_odds, 0.0) - log_wrong, log_wrong);
  gradient->exponent = exponent_ + shift;
  const double shift_nats = shift * std::log(2.0);
  workers.for_tiles(columns, column_tile, [&](Index begin, Index end) {
    auto own = g.own.segment(begin, end - begin).array();
    auto other = g.other.segment(begin, end - begin).array();
    const auto p = scaled_probability_.segment(begin, end - begin).array();
    if (removes_recovered_) {
      own = (own > tie).select(0, -p * (1 / (1 + (own - log_wrong).exp()) - settled));
    } else if (shift == 0) {
      own = -p * (1 / (1 + (own - log_wrong).exp()) - settled);
    } else {
      weigh_errors(own, p, log_wrong, shift_nats);
    }
    other = own / (1 - classes_);
  });
}

void ColumnMemory::sampled_gradient(const State& w, const Sample& sample, Gradient<State>& gradient,
                                    const Workers& workers, const RandomRounding* rounding) const {
  const double log_wrong = std::log(classes_ - 1);
  const auto queries = static_cast<Index>(sample.query.size());
  State& g = gradient.task;
  g.structure = laws_.structure;
  g.held = std::make_shared<const std::vector<Index>>(sample.query);
  g.own.resize(queries);
  g.other.resize(queries);
  // As in evaluate: margins first, whose least tells whether the largest error is about to underflow.
  for (Index i = 0; i < queries; ++i) {
    const Index l = sample.query[i];
    g.own(i) = w.own(l) - w.other(l);
  }
  if (rounding) rounding->logits(0, g.own);
  const double largest_log_odds = log_wrong - g.own.minCoeff<Eigen::PropagateNaN>();
  const int shift =
      removes_recovered_ ? 0 : underflow_shift(std::min(largest_log_odds, 0.0) - log_wrong, log_wrong);
  gradient.exponent = shift;
  const double tie = rounding ? tie_margin(RandomRounding::logit_size) : 0;
  const double shift_nats = shift * std::log(2.0);
  const Eigen::Map<const Vector> weight(sample.weight.data(), queries);
  workers.for_tiles(queries, column_tile, [&](Index begin, Index end) {
    auto own = g.own.segment(begin, end - begin).array();
    const Eigen::ArrayXd margin = own;
    weigh_errors(own, weight.segment(begin, end - begin).array(), log_wrong, shift_nats);
    if (removes_recovered_) own = (margin > tie).select(0, own);
    g.other.segment(begin, end - begin) = own / (1 - classes_);
  });
}

SecondMoment<ColumnMatrix> ColumnMemory::second_moment_root() const {
  ColumnMatrix root(is_square(*laws_.structure) ? laws_.structure : square_columns(laws_.structure->count));
  root.own = scaled_probability_.cwiseSqrt();
  return {std::move(root), exponent_};
}

std::vector<double> ColumnMemory::right_logits(const State& x, const Workers&) const {
  const State full = all_held(x);
  return {full.own.begin(), full.own.end()};
}

double ColumnMemory::left_null_part(const State& x, const Workers&) const {
  const State full = all_held(x);
  Vector parts(full.own.size());
  for (Index l = 0; l < parts.size(); ++l) {
    const double share = laws_.structure->count[l] / classes_;
    double sum = 0;
    if (laws_.structure->two_numbers()) {
      sum = full.own(l) + (classes_ - 1) * full.other(l);
    } else {
      column_detail::for_column(full, l, [&](double value, double times) { sum += times * value; });
    }
    parts(l) = std::sqrt(share) * sum;
  }
  return safe_norm(parts);
}

}  // namespace rarefact
