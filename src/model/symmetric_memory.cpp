#include "model/symmetric_memory.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "algebra/operations.hpp"
#include "core/real50.hpp"
#include "model/column_residual.hpp"

namespace rarefact {

namespace {

/// q_k of one answer of every row: Σ_l p_l π₀(k|l).
template <class Real>
VectorOf<Real> frequencies(const Units& units, Index rows) {
  VectorOf<Real> all = VectorOf<Real>::Zero(rows);
  Index first = 0;
  for (const UnitGroup& group : units.groups) {
    for (const QueryType& type : group.queries) {
      for (const AnswerShare& share : type.answers)
        all(first + share.type) += Real(type.twins) * Real(type.probability) * Real(share.probability);
    }
    first += static_cast<Index>(group.answer_twins.size());
  }
  return all;
}

SharedStructure structure_of(const Units& units) {
  std::vector<double> count;
  std::vector<std::vector<double>> rows, columns;
  for (const UnitGroup& group : units.groups) {
    count.push_back(group.count);
    rows.push_back(group.answer_twins);
    std::vector<double>& twins = columns.emplace_back();
    for (const QueryType& type : group.queries) twins.push_back(type.twins);
  }
  return std::make_shared<const GroupStructure>(std::move(count), GroupTypes(rows), GroupTypes(columns));
}

/// How many rows, or columns, a type stands for, or one unit's.
template <class Real>
VectorOf<Real> numbers_of(const GroupStructure& s, Side side, bool of_unit) {
  VectorOf<Real> all(s.size(side));
  for (Index type = 0; type < all.size(); ++type)
    all(type) = (of_unit ? Real(1) : Real(s.units(side, type))) * Real(s.types(side).twins(type));
  return all;
}

}  // namespace

template <class Real>
SymmetricMemory<Real>::SymmetricMemory(const Units& units, bool identity, double label_noise,
                                       NoiseAnswers noise, SymmetricEmbedding<Real> query,
                                       SymmetricEmbedding<Real> answer, bool removes_recovered,
                                       bool couples_columns)
    : structure_(structure_of(units)),
      probability_(structure_->columns()),
      answer_counts_(numbers_of<Real>(*structure_, Side::rows, false)),
      answer_twins_(numbers_of<Real>(*structure_, Side::rows, true)),
      query_counts_(numbers_of<Real>(*structure_, Side::columns, false)),
      answers_(structure_->total<Real>(Side::rows)),
      label_noise_(label_noise),
      identity_law_(identity),
      removes_recovered_(removes_recovered),
      couples_columns_(couples_columns),
      query_(std::move(query)),
      answer_(std::move(answer)) {
  background_.constant = label_noise_ / answers_;
  if (noise == NoiseAnswers::frequency && label_noise > 0) {
    noise_ = label_noise_ * frequencies<Real>(units, structure_->rows());
    background_ = {noise_.maxCoeff(), {noise_.data(), static_cast<std::size_t>(noise_.size())}};
  }
  set_cells(units);
  set_laws(units);
  for (Index c = 0; c < probability_.size(); ++c) rarest_last_.push_back(c);
  std::ranges::stable_sort(rarest_last_, std::ranges::greater(), [this](Index c) { return probability_(c); });
  exponent_ = std::ilogb(static_cast<double>(probability_.maxCoeff()));
  scaled_probability_ = probability_ * Real(std::ldexp(1.0, -exponent_));
}

/// Of the identity a cell's group is its unit group; else its place among the query types.
template <class Real>
void SymmetricMemory<Real>::set_cells(const Units& units) {
  std::vector<std::size_t> first;  // cell of each unit group
  for (std::size_t u = 0; u < units.groups.size(); ++u) {
    first.push_back(cells_.size());
    Index position = 0;
    for (const QueryType& type : units.groups[u].queries) {
      probability_(static_cast<Index>(cells_.size())) = Real(type.probability);
      cells_.push_back(
          {static_cast<Index>(u), position++, units.groups[u].count * type.twins, type.probability});
    }
  }
  if (identity_law_) return;
  Index place = 0;
  for (const auto& [group, type] : query_types(units)) {
    Cell& cell = cells_[first[group] + static_cast<std::size_t>(type)];
    cell.group = place++;
    cell.position = 0;
  }
}

template <class Real>
void SymmetricMemory<Real>::set_laws(const Units& units) {
  Index row = 0;
  for (const UnitGroup& group : units.groups) {
    for (const QueryType& type : group.queries) {
      QueryAnswers<Real>& law = law_.emplace_back();
      for (const AnswerShare& share : type.answers)
        law.add(share.type, (Real(1) - label_noise_) * Real(share.probability), background_(row + share.type),
                Real(group.answer_twins[share.type]), share.right);
      law.finish(label_noise_);
    }
    const auto height = static_cast<Index>(group.answer_twins.size());
    std::vector<Index>& absent = absent_.emplace_back();
    for (Index k = row; group.count <= 1 && k < row + height; ++k) absent.push_back(k);
    row += height;
  }
}

template <class Real>
std::vector<Index> SymmetricMemory<Real>::right_answers() const {
  std::vector<Index> answers;
  for (const QueryAnswers<Real>& law : law_) answers.push_back(law.right_at.front());
  return answers;
}

template <class Real>
std::vector<double> SymmetricMemory<Real>::right_logits(const State& x, const Workers&) const {
  const State s = logits(x);
  std::vector<double> right;
  for (Index column = 0; column < structure_->columns(); ++column) {
    const QueryAnswers<Real>& law = law_[column];
    const auto own = s.own_column(column);
    Real sum(0), number(0);
    for (std::size_t i = 0; i < law.size(); ++i) {
      if (!law.right[i]) continue;
      sum += law.times[i] * own(law.at[i]);
      number += law.times[i];
    }
    right.push_back(static_cast<double>(Real(sum / number)));
  }
  return right;
}

template <class Real>
void SymmetricMemory<Real>::evaluate(const State& w, Gradient<State>* gradient, Observation* observation,
                                     const Workers& workers, const RandomRounding* rounding) const {
  using std::exp;
  using std::log, std::abs;
  const GroupTypes &row_types = structure_->row_types(), &column_types = structure_->column_types();
  const Index columns = structure_->columns();
  State embedded = identity() && !rounding ? State() : logits(w);
  if (rounding) rounding->logits(embedded);
  const State& s = identity() && !rounding ? w : embedded;
  if (observation) observation->resize(static_cast<std::size_t>(columns));

  // A column's wrong answers: ratio r to the likeliest of them, of different units and of the own one.
  State ratio(structure_);
  std::vector<ColumnOdds<Real>> odds(static_cast<std::size_t>(columns));
  std::vector<std::vector<Real>> softmax(static_cast<std::size_t>(columns));
  VectorOf<Real> log_largest(columns);  // ln of the largest entry of a column of P̂ - Π
  std::vector<char> removed(static_cast<std::size_t>(columns));
  VectorOf<Real> error(columns), excess_loss(columns);
  const Real tie = tie_size(w, rounding);
  const Index tile = 16;
  workers.for_tiles(columns, tile, [&](Index begin, Index end) {
    for (Index column = begin; column < end; ++column) {
      const Index j = column_types.group(column), first = row_types.begin(j), height = row_types.size(j);
      const QueryAnswers<Real>& law = law_[column];
      const VectorOf<Real> own_twins = answer_twins_.segment(first, height);
      VectorOf<Real> weight = answer_counts_;
      weight.segment(first, height) -= own_twins;
      // Logits count from that of the likeliest right answer.
      const Real top = logits_of_right(law, s.own_column(column)).largest;
      auto r = ratio.other_entries().col(column);
      auto q = ratio.own_column(column);
      r = s.other_entries().col(column).array() - top;
      q = s.own_column(column).array() - top;
      const RightLogits<Real> right = logits_of_right(law, q);
      if (gradient) softmax[column] = inside(law, q, right);
      VectorOf<Real> x, y;
      if (observation && !law.certain()) x = r, y = q;
      const std::span<const Index> apart = absent_[j];
      ColumnOdds<Real>& seen = odds[column];
      seen = to_wrong_ratios(right, CountedAnswers<decltype(r), VectorOf<Real>>{{r, apart}, weight},
                             CountedAnswers<decltype(q), VectorOf<Real>>{{q, law.right_at}, own_twins});
      const Real size = std::max(tie, Real(abs(top)));
      seen.advantage = untied(seen.advantage, size);
      if (gradient)
        log_largest(column) = rarefact::log_largest(law, seen, background_.constant, softmax[column]);
      removed[column] = removes_recovered_ && seen.advantage > Real(0);
      if (!observation) continue;
      observation->log_odds[column] = static_cast<double>(seen.log_odds);
      error(column) = logistic(seen.log_odds);
      observation->error[column] = static_cast<double>(error(column));
      observation->advantage[column] = static_cast<double>(seen.advantage);
      using Counted = CountedAnswers<const VectorOf<Real>&, VectorOf<Real>>;
      excess_loss(column) = rarefact::excess_loss(
          seen, law, right.largest, Counted{{y, law.right_at, background_.part(first, height)}, own_twins},
          Counted{{x, apart, background_}, weight});
      observation->excess_loss[column] = static_cast<double>(excess_loss(column));
    }
  });
  if constexpr (!std::is_same_v<Real, double>) {
    if (observation) {
      observation->gap = static_cast<double>(Real(error.maxCoeff() - error.minCoeff()));
      observation->total_excess_loss =
          static_cast<double>(Real(query_counts_.cwiseProduct(probability_).dot(excess_loss)));
    }
  }
  if (observation && !identity_law_) observe_answers(s, odds, ratio, tie, *observation);
  if (!gradient) return;

  const int shift =
      underflow_shift(static_cast<double>(log_largest.maxCoeff()), std::log(static_cast<double>(answers_)));
  gradient->exponent = exponent_ + shift;
  const Real shift_nats = Real(shift) * log(Real(2));
  const auto in_unit = [&](const Real& x) {
    return x > Real(0) ? Real(exp(Real(log(x) - shift_nats))) : Real(0);
  };
  const Real same_noise = in_unit(background_.constant);
  const VectorOf<Real> noise = noise_.unaryExpr(in_unit);  // empty where the noise is the same
  gradient->task = State(structure_);
  State& g = gradient->task;
  workers.for_tiles(columns, tile, [&](Index begin, Index end) {
    for (Index column = begin; column < end; ++column) {
      if (removed[column]) continue;
      const Index j = column_types.group(column), first = row_types.begin(j), height = row_types.size(j);
      const QueryAnswers<Real>& law = law_[column];
      const Real p = scaled_probability_(column), factor = p * exp(Real(odds[column].log_peak - shift_nats));
      auto other = g.other_entries().col(column);
      auto own = g.own_column(column);
      if (noise.size() == 0) {
        other = (factor * ratio.other_entries().col(column)).array() - p * same_noise;
        own = (factor * ratio.own_column(column)).array() - p * same_noise;
      } else {
        other = factor * ratio.other_entries().col(column) - p * noise;
        own = factor * ratio.own_column(column) - p * noise.segment(first, height);
      }
      for (std::size_t i = 0; i < law.size(); ++i) {
        if (!law.right[i]) own(law.at[i]) -= p * in_unit(law.share[i]);
      }
      for (const Index k : absent_[j]) other(k) = Real(0);
      const auto own_twins = answer_twins_.segment(first, height);
      set_right(
          law, odds[column], softmax[column], p, shift, [&](Index k) -> Real& { return own(k); },
          [&] {
            return Real(own_twins.dot(own) + answer_counts_.dot(other) -
                        own_twins.dot(other.segment(first, height)));
          });
    }
  });
  gradient->image.reset();
  if (!identity()) gradient->image = to_ambient(g);
}

Units block_units(const std::vector<double>& count, Index block) {
  Units units;
  for (const double n : count) {
    UnitGroup& unit = units.groups.emplace_back();
    unit.count = n;
    unit.answer_twins.assign(static_cast<std::size_t>(block), 1);
    for (Index c = 0; c < block; ++c) unit.queries.push_back({1, 0, {{c, 1, true}}});
  }
  return units;
}

Units in_blocks(const ClassGroups& groups, Index block) {
  std::vector<double> count = groups.count;
  for (double& n : count) n /= static_cast<double>(block);
  Units units = block_units(count, block);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (QueryType& type : units.groups[i].queries) type.probability = groups.probability[i];
  }
  return units;
}

template class SymmetricMemory<double>;
template class SymmetricMemory<Real50>;

}  // namespace rarefact
