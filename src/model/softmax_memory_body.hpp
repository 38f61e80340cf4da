#pragma once

/// The definitions of SoftmaxMemory, for the sources that compile it on their layouts.

#include <optional>

#include "model/softmax_column.hpp"
#include "model/softmax_memory.hpp"

namespace rarefact {

/// What is rounded to doubles, and what is needed of it in the memory's own digits, of every column.
template <class Layout>
struct SoftmaxMemory<Layout>::Seen {
  Observation& rounded;
  VectorOf<Real> error = {}, excess_loss = {};  ///< of more digits than a double has
  VectorOf<Real> log_sum = {};                  ///< ln Σ_k e^S, where means of answers are seen
};

template <class Layout>
void SoftmaxMemory<Layout>::evaluate(const State& w, Gradient<State>* gradient, Observation* observation,
                                     const Workers& workers, const RandomRounding* rounding) const {
  if constexpr (requires { this->pairs(); }) {
    if (this->pairs()) {
      if (gradient) this->pairs_gradient(w, nullptr, *gradient, workers, rounding);
      gradient = nullptr;
      if (observation && this->first_answer().empty())
        return this->pairs_observation(w, *observation, workers, rounding);
    }
  }
  bool alike = false;
  if constexpr (requires { this->at_zero(w, gradient, workers); }) {
    if (!rounding && this->at_zero(w, gradient, workers)) {
      gradient = nullptr;
      alike = this->first_answer().empty();
    }
  }
  if (gradient || observation) walk(w, nullptr, gradient, observation, workers, rounding, alike);
}

template <class Layout>
void SoftmaxMemory<Layout>::sampled_gradient(const State& w, const Sample& sample, Gradient<State>& gradient,
                                             const Workers& workers, const RandomRounding* rounding) const {
  if constexpr (requires { this->pairs(); }) {
    this->pairs_gradient(w, &sample, gradient, workers, rounding);
  } else {
    walk(w, &sample, &gradient, nullptr, workers, rounding);
  }
}

/// From W to ∇L; a gradient, an observation or both. `first_alone`: an observation of which all columns are
/// alike.
template <class Layout>
void SoftmaxMemory<Layout>::walk(const State& w, const Sample* sample, Gradient<State>* gradient,
                                 Observation* observation, const Workers& workers,
                                 const RandomRounding* rounding, bool first_alone) const {
  typename Layout::Pass pass(*this, w, sample, gradient, observation, workers, rounding);
  const Real tie = std::max(Real(this->tie_size(w)), Real(rounding ? RandomRounding::logit_size : 0));
  const double log_answers = std::log(static_cast<double>(this->answers()));
  std::optional<Seen> seen;
  if (observation) seen.emplace(begin(*observation, pass.columns()));
  if constexpr (requires { pass.take_first(); }) {
    if (first_alone) pass.take_first();
  }
  // Columns have a unit of their own until all are known.
  std::vector<int> shift(static_cast<std::size_t>(gradient ? pass.columns() : 0), 0);
  pass.for_columns(workers, [&](Index i, QueryColumn<Real>& column) {
    static thread_local VectorOf<Real> logits;
    static thread_local std::vector<Real> softmax;
    const Index l = sample ? sample->query[static_cast<std::size_t>(i)] : i;
    QueryAnswers<Real> drawn;
    column.law = &this->law(l);
    if (gradient) column.weight = pass.weight(i);
    if (sample) {
      if (this->removes_recovered() && recovered(column, tie)) return void(column.values.setZero());
      if constexpr (requires { this->place(l, l); }) {
        drawn = drawn_answers<Real>(*sample, static_cast<std::size_t>(i),
                                    [&](Index k) { return this->place(l, k); });
      }
      column.law = &drawn;
      column.noise = {};
    }
    const RightLogits<Real> right = logits_of_right(*column.law, column.values);
    if (gradient) set_inside(*column.law, column.values, right, softmax);
    if (observation && !column.law->certain()) logits = column.values;
    const ColumnOdds<Real> odds = odds_of(column, right, tie);
    if (observation) observe(l, column, logits, odds, right, tie, *seen);
    if (!gradient) return;
    if (!sample && this->removes_recovered() && odds.advantage > Real(0)) {
      column.values.setZero();
    } else {
      shift[static_cast<std::size_t>(i)] = to_residual(column, odds, softmax, log_answers);
    }
  });
  if (observation && first_alone) {
    for (std::vector<double>* all :
         {&observation->log_odds, &observation->error, &observation->advantage, &observation->excess_loss})
      std::ranges::fill(*all, all->front());
  } else if (observation) {
    finish(pass, *seen);
  }
  if (!gradient) return;
  const int unit = shift.empty() ? 0 : *std::ranges::max_element(shift);
  gradient->exponent = pass.exponent() + unit;
  for (std::size_t i = 0; i < shift.size(); ++i) {
    if (shift[i] != unit) pass.scale(static_cast<Index>(i), shift[i] - unit);
  }
  pass.finish(workers);
}

template <class Layout>
bool SoftmaxMemory<Layout>::recovered(const QueryColumn<Real>& column, const Real& tie) const {
  static thread_local VectorOf<Real> copy;
  copy = column.values;
  QueryColumn<Real> whole{{copy.data(), copy.size()}, column.noise, column.times, column.absent, column.law};
  return odds_of(whole, logits_of_right(*column.law, copy), tie).advantage > Real(0);
}

/// Turns the column into the ratios of its wrong answers.
template <class Layout>
ColumnOdds<typename SoftmaxMemory<Layout>::Real> SoftmaxMemory<Layout>::odds_of(
    QueryColumn<Real>& column, const RightLogits<Real>& right, const Real& tie) const {
  using std::abs;
  const std::vector<Index>& apart = column.law->right_at;
  ColumnOdds<Real> odds;
  if constexpr (requires { this->single(); }) {
    odds = this->single() ? to_wrong_ratios<float>(column, apart, right)
                          : to_wrong_ratios<Real>(column, apart, right);
  } else {
    odds = to_wrong_ratios<Real>(column, apart, right);
  }
  odds.advantage = untied(odds.advantage, std::max(tie, Real(abs(right.largest))));
  return odds;
}

template <class Layout>
typename SoftmaxMemory<Layout>::Seen SoftmaxMemory<Layout>::begin(Observation& observation,
                                                                  Index columns) const {
  const std::vector<std::size_t>& first_answer = this->first_answer();
  observation.resize(static_cast<std::size_t>(columns));
  observation.log_answers.resize(first_answer.empty() ? 0 : first_answer.back());
  observation.top_share.resize(first_answer.empty() ? 0 : static_cast<std::size_t>(columns));
  observation.mean_log.clear();
  Seen seen{observation};
  if (!std::is_same_v<Real, double>) seen.error.resize(columns), seen.excess_loss.resize(columns);
  if (!first_answer.empty() && this->label_noise() > Real(0)) seen.log_sum.resize(columns);
  return seen;
}

/// `logits` are read where the answer is not certain; the column has the ratios of wrong answers.
template <class Layout>
void SoftmaxMemory<Layout>::observe(Index l, const QueryColumn<Real>& column, const VectorOf<Real>& logits,
                                    const ColumnOdds<Real>& odds, const RightLogits<Real>& right,
                                    const Real& tie, Seen& seen) const {
  using std::abs;
  const auto cell = static_cast<std::size_t>(l);
  const QueryAnswers<Real>& law = *column.law;
  Observation& out = seen.rounded;
  const Real error = logistic(odds.log_odds), excess = excess_loss(column, logits, odds, right.largest);
  out.set(l, static_cast<double>(error), static_cast<double>(odds.log_odds), static_cast<double>(excess),
          static_cast<double>(odds.advantage));
  if (seen.error.size() > 0) seen.error(l) = error, seen.excess_loss(l) = excess;
  if (seen.log_sum.size() > 0) seen.log_sum(l) = right.largest - odds.log_top;
  if (this->first_answer().empty()) return;
  const auto below = [&](Index k) { return law.certain() ? Real(0) : Real(right.largest - logits(k)); };
  double* log_answer = &out.log_answers[this->first_answer()[cell]];
  for (const Index k : this->answers_at(l))
    *log_answer++ = static_cast<double>(Real(odds.log_top - below(k)));
  TopShare<Real> share(odds.advantage, tie_margin(std::max(tie, Real(abs(right.largest)))));
  for (std::size_t i = 0; i < law.size(); ++i) {
    if (law.right[i]) share.add_right(below(law.at[i]), law.share[i], law.times[i]);
  }
  for (Index k = 0; share.wrong_count() && k < column.values.size(); ++k)
    share.add_wrong(column.values(k), law.share_at(k), column.times_at(k));
  out.top_share[cell] = static_cast<double>(Real(share.mean() / (Real(1) - this->label_noise())));
}

/// What is seen of all columns together; Σ_l p_l ln p̂(k|l) = Σ_l p_l S_kl - Σ_l p_l ln Σ_j e^S_jl.
template <class Layout>
void SoftmaxMemory<Layout>::finish(const typename Layout::Pass& pass, const Seen& seen) const {
  Real excess_loss(0), log_sum(0);
  for (Index l = 0; l < std::max(seen.excess_loss.size(), seen.log_sum.size()); ++l) {
    const Real p = Real(this->count(l)) * Real(this->probability(l));
    if (seen.excess_loss.size() > 0) excess_loss += p * seen.excess_loss(l);
    if (seen.log_sum.size() > 0) log_sum += p * seen.log_sum(l);
  }
  Observation& out = seen.rounded;
  if (seen.error.size() > 0) {
    out.gap = static_cast<double>(Real(seen.error.maxCoeff() - seen.error.minCoeff()));
    out.total_excess_loss = static_cast<double>(excess_loss);
  }
  if (seen.log_sum.size() == 0) return;
  for (const Real& mean : pass.mean_logits())
    out.mean_log.push_back(static_cast<double>(Real(mean - log_sum)));
}

template <class Layout>
Expansion<typename SoftmaxMemory<Layout>::Real> SoftmaxMemory<Layout>::expansion(
    const State& w, const State& direction, const Real& x, const Observation& seen,
    const Workers& workers) const {
  typename Layout::Pass pass(*this, direction, nullptr, nullptr, nullptr, workers, nullptr);
  const auto logits = this->logits_of(w, seen);
  constexpr Index together = 8;  // columns of one thread, on any layout
  std::vector<Expansion<Real>> sums(static_cast<std::size_t>((pass.columns() + together - 1) / together));
  pass.for_columns(workers, [&](Index l, QueryColumn<Real>& change) {
    // As most are in updates by samples.
    if (change.values.isZero(0)) return;
    static thread_local UpdatedColumn<Real> column;
    const QueryAnswers<Real>& law = this->law(l);
    const Index size = change.values.size();
    column.resize(size);
    column.change() = change.values;
    logits(l, column.logit());
    for (Index k = 0; k < size; ++k) column.times()(k) = change.times_at(k);
    for (const Index k : change.absent) column.logit()(k) = column.logit()(law.right_at.front());
    column.set_background(0, size, change.noise);
    column.set_answers(law);
    const Real count(this->count(l));
    sums[static_cast<std::size_t>(l / together)].add(expansion_of(column, x), count,
                                                     count * Real(this->probability(l)));
  });
  Expansion<Real> total;
  for (const Expansion<Real>& sum : sums) total.add(sum, Real(1), Real(1));
  if constexpr (requires { Layout::squared_norm(direction); }) {
    total.size = Layout::squared_norm(direction);
  } else {
    const Real norm = frobenius_norm(direction);
    total.size = norm * norm;
  }
  return total;
}

}  // namespace rarefact
