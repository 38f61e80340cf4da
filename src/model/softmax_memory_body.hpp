#pragma once

/// Definitions of SoftmaxMemory; included by the sources that instantiate it.

#include "model/logit_ranks.hpp"
#include "model/softmax_memory.hpp"
#include "model/softmax_residual.hpp"

namespace rarefact {

/// One pass over the columns, from W to ∇L: computes the gradient and the observation unless null.
template <class Layout>
class SoftmaxMemory<Layout>::Walk {
 public:
  Walk(const SoftmaxMemory& memory, const State& w, const Sample* sample, Gradient<State>* gradient,
       Observation* observation, const Workers& workers, const RandomRounding* rounding, const Sizes* sizes)
      : memory_(memory),
        sample_(sample),
        gradient_(gradient),
        observation_(observation),
        rounding_(rounding),
        tie_(std::max(Real(!memory.mixes_columns()      ? Real(0)
                           : sizes && sizes->size() > 0 ? (*sizes)(0)
                                                        : largest_entry(w)),
                      Real(rounding ? RandomRounding::logit_size : 0))),
        sizes_(memory.mixes_columns() || !sizes || sizes->size() == 0 ? nullptr : sizes),
        log_answers_(std::log(static_cast<double>(memory.answers()))),
        exponent_(sample ? std::ilogb(std::ranges::max(sample->weight)) : memory.exponent()),
        unit_(std::ldexp(1, -exponent_)),
        pass_(memory, w, sample, gradient, observation, workers, rounding) {}

  void over_all(const Workers& workers) {
    if (observation_) begin_observation();
    const Index columns = sample_ ? std::ssize(sample_->query) : memory_.columns();
    // Every column has its own unit until all are known.
    std::vector<int> shift(static_cast<std::size_t>(gradient_ ? columns : 0), 0);
    pass_.for_columns(workers, [&](Index i, QueryColumn<Real>& column) {
      const int unit = visit(i, column);
      if (gradient_) shift[i] = unit;
    });
    if (observation_) finish_observation();
    if (!gradient_) return;
    const int unit = shift.empty() ? 0 : *std::ranges::max_element(shift);
    gradient_->exponent = exponent_ + unit;
    for (std::size_t i = 0; i < shift.size(); ++i) {
      if (shift[i] != unit) pass_.scale(static_cast<Index>(i), shift[i] - unit);
    }
    pass_.finish(workers);
  }

  /// Fills in an observation of equal columns from the first.
  void over_first(const Workers& workers) {
    begin_observation();
    if constexpr (Layout::kind == MemoryKind::dense) pass_.take_first();
    pass_.for_columns(workers, [&](Index i, QueryColumn<Real>& column) { visit(i, column); });
    const auto spread = [](std::vector<double>& all) {
      if (!all.empty()) std::ranges::fill(all, double(all.front()));
    };
    for (const auto field : Observation::of_logits()) spread(observation_->*field);
    std::ranges::for_each(observation_->attribute_error, spread);
    std::ranges::for_each(observation_->top, spread);
  }

 private:
  /// Converts the logits of column i to its residual, and returns the unit.
  int visit(Index i, QueryColumn<Real>& column) {
    VectorOf<Real> logits;
    std::vector<Real> softmax;
    std::optional<QueryAnswers<Real>> drawn;
    const auto place = static_cast<std::size_t>(i);
    const Index l = sample_ ? sample_->query[place] : i;
    column.law = &memory_.law(l);
    const double weight = sample_ ? sample_->weight[place] : memory_.training(l);
    column.weight = Real((rounding_ ? rounding_->weight(weight) : weight) * unit_);
    if (sample_) {
      if (memory_.removes_recovered() && recovered(l, column)) return removed(column);
      if constexpr (Layout::kind != MemoryKind::columns)
        column.law = &drawn.emplace(
            drawn_answers<Real>(*sample_, place, [&](Index k) { return memory_.place(l, k); }));
      column.noise = {};
    }
    const RightLogits<Real> right = logits_of_right(*column.law, column.values);
    if (gradient_) set_inside(*column.law, column.values, right, softmax);
    if (observation_) logits = column.values;
    const ColumnSoftmax<Real> odds = odds_of(l, column, right);
    if (observation_) observe(l, column, logits, odds, right);
    if (!gradient_) return 0;
    if (!sample_ && memory_.removes_recovered() && odds.recovered()) return removed(column);
    return to_residual(column, odds, softmax, log_answers_);
  }

  static int removed(QueryColumn<Real>& column) {
    column.values.setZero();
    return 0;
  }

  bool recovered(Index l, const QueryColumn<Real>& column) const {
    VectorOf<Real> copy = column.values;
    QueryColumn<Real> whole{
        {copy.data(), copy.size()}, column.noise, column.times, column.absent, column.law};
    return odds_of(l, whole, logits_of_right(*column.law, copy)).recovered();
  }

  /// The size relative to which logits of column l tie: that of its right logits, or of entries of W.
  Real size_of(Index l, const RightLogits<Real>& right) const {
    using std::abs;
    const Real size = std::max(tie_, Real(abs(right.largest)));
    return sizes_ ? std::max(size, Real((*sizes_)(l))) : size;
  }

  /// Converts the column to the ratios of its wrong answers.
  ColumnSoftmax<Real> odds_of(Index l, QueryColumn<Real>& column, const RightLogits<Real>& right) const {
    const std::vector<Index>& apart = column.law->right_at;
    ColumnSoftmax<Real> odds;
    if constexpr (std::is_same_v<Real, double>) {
      odds = memory_.single() ? normalise_wrong<float>(column, apart, right)
                              : normalise_wrong<double>(column, apart, right);
    } else {
      odds = normalise_wrong<Real>(column, apart, right);
    }
    odds.advantage = untied(odds.advantage, size_of(l, right));
    return odds;
  }

  void begin_observation() {
    const std::vector<std::size_t>& first_answer = memory_.first_answer();
    const Index columns = memory_.columns();
    observation_->resize(static_cast<std::size_t>(columns));
    observation_->log_answers.resize(first_answer.empty() ? 0 : first_answer.back());
    observation_->top_error.resize(first_answer.empty() ? 0 : static_cast<std::size_t>(columns));
    observation_->mean_log.clear();
    if constexpr (of_attributes) {
      for (std::vector<double>& all : observation_->attribute_error)
        all.resize(memory_.has_attributes() ? static_cast<std::size_t>(columns) : 0);
    }
    observation_->top.assign(observation_->top_ranks.size(),
                             std::vector<double>(static_cast<std::size_t>(columns)));
    if (!std::is_same_v<Real, double>) {
      for (VectorOf<Real>* all : {&error_, &excess_loss_, &loss_drop_}) all->resize(columns);
    }
    if (!first_answer.empty() && memory_.label_noise() > Real(0)) log_sum_.resize(columns);
  }

  void note(Index l, const ColumnSoftmax<Real>& odds, const Real& excess, const Real& drop) {
    const Real log_odds = odds.log_odds(), error = logistic(log_odds);
    observation_->set(l, static_cast<double>(error), static_cast<double>(log_odds),
                      static_cast<double>(excess), static_cast<double>(odds.advantage),
                      static_cast<double>(drop));
    if (error_.size() > 0) error_(l) = error, excess_loss_(l) = excess, loss_drop_(l) = drop;
  }

  /// Stores the statistics of column l, now ratios of wrong answers.
  void observe(Index l, const QueryColumn<Real>& column, const VectorOf<Real>& logits,
               const ColumnSoftmax<Real>& odds, const RightLogits<Real>& right) {
    const QueryAnswers<Real>& law = *column.law;
    note(l, odds, excess_loss(column, logits, odds, right.largest),
         loss_drop(column, logits, odds, right.largest, Real(memory_.answers())));
    observe_attributes(l, column, odds);
    const bool identity = memory_.first_answer().empty();
    std::vector<LogitRank<Real>> ranks;
    const auto error_of = [&](const Real& k) {
      return static_cast<double>(top_error(law, ranks, Real(memory_.label_noise()), k));
    };
    const std::vector<double>& all = observation_->top_ranks;
    if (!identity || !all.empty())
      set_ranks(column, logits, tie_margin(size_of(l, right)), Real(all.empty() ? 1 : all.back()), ranks);
    for (std::size_t i = 0; i < observation_->top.size(); ++i)
      observation_->top[i][l] = error_of(Real(observation_->top_ranks[i]));
    if (identity) return;
    const Real log_top = odds.log_top();
    if (log_sum_.size() > 0) log_sum_(l) = right.largest - log_top;
    const auto cell = static_cast<std::size_t>(l);
    const auto below = [&](Index k) { return law.certain() ? Real(0) : Real(right.largest - logits(k)); };
    double* log_answer = observation_->log_answers.data() + memory_.first_answer()[cell];
    for (const Index k : memory_.answers_at(l)) *log_answer++ = static_cast<double>(Real(log_top - below(k)));
    observation_->top_error[cell] = error_of(Real(1));
  }

  /// The shares of an error that have the wrong subject, and the wrong relation.
  void observe_attributes(Index l, const QueryColumn<Real>& column, const ColumnSoftmax<Real>& odds) {
    if constexpr (of_attributes) {
      if (!memory_.has_attributes()) return;
      std::array<Real, 2> sum = {Real(0), Real(0)};
      for (Index k = 0; k < column.values.size(); ++k) {
        const std::array<bool, 2> wrong = memory_.wrong_attributes(l, k);
        for (const std::size_t a : {0, 1})
          if (wrong[a]) sum[a] += column.times_at(k) * column.values(k);
      }
      for (const std::size_t a : {0, 1})
        observation_->attribute_error[a][l] =
            static_cast<double>(Real(logistic(odds.log_odds()) * (sum[a] / odds.wrong)));
    }
  }

  /// Statistics of all columns together; Σ_l p_l ln p̂(k|l) = Σ_l p_l S_kl - Σ_l p_l ln Σ_j e^S_jl.
  void finish_observation() const {
    const auto mean = [&](const VectorOf<Real>& all) {
      Real sum(0);
      for (Index l = 0; l < all.size(); ++l)
        sum += Real(memory_.count(l)) * Real(memory_.probability(l)) * all(l);
      return sum;
    };
    if (error_.size() > 0) {
      observation_->gap = static_cast<double>(Real(error_.maxCoeff() - error_.minCoeff()));
      observation_->total_excess_loss = static_cast<double>(mean(excess_loss_));
      observation_->total_loss_drop = static_cast<double>(mean(loss_drop_));
    }
    if (log_sum_.size() == 0) return;
    const Real log_sum = mean(log_sum_);
    for (const Real& logit : pass_.mean_logits())
      observation_->mean_log.push_back(static_cast<double>(Real(logit - log_sum)));
  }

  static constexpr bool of_attributes = Layout::kind != MemoryKind::columns;

  const SoftmaxMemory& memory_;
  const Sample* sample_;
  Gradient<State>* gradient_;
  Observation* observation_;
  const RandomRounding* rounding_;
  Real tie_;            // size of ties in all columns
  const Sizes* sizes_;  // and in each; null if only its right logits count
  double log_answers_;
  int exponent_;
  double unit_;  // 2^-exponent_
  typename Layout::Pass pass_;
  // For every column, if needed: values in more digits than a double, and ln Σ_k e^S.
  VectorOf<Real> error_ = {}, excess_loss_ = {}, loss_drop_ = {}, log_sum_ = {};
};

template <class Layout>
void SoftmaxMemory<Layout>::note_sizes(const State& w, const State& update, Sizes& sizes) const {
  if constexpr (Layout::kind == MemoryKind::columns) {
    if (update.stored_groups) {
      if (sizes.size() == 0) sizes = Sizes::Zero(w.right.size());
      for (const Index l : *update.stored_groups)
        sizes(l) = std::max({sizes(l), std::abs(w.right(l)), std::abs(w.wrong(l))});
      return;
    }
  }
  const Sizes now = this->mixes_columns() ? Sizes(Sizes::Constant(1, largest_entry(w)))
                                          : aggregate(w, Side::columns, Aggregate::largest);
  sizes = sizes.size() == 0 ? now : Sizes(sizes.cwiseMax(now));
}

template <class Layout>
void SoftmaxMemory<Layout>::evaluate(const State& w, Gradient<State>* gradient, Observation* observation,
                                     const Workers& workers, const RandomRounding* rounding,
                                     const Sizes* sizes) const {
  const bool identity = this->first_answer().empty();
  if constexpr (Layout::kind == MemoryKind::columns) {
    if (this->pairs()) {
      if (gradient) this->pairs_gradient(w, nullptr, *gradient, workers, rounding, sizes);
      if (observation && identity) return this->pairs_observation(w, *observation, workers, rounding, sizes);
      gradient = nullptr;
    }
  }
  if constexpr (Layout::kind == MemoryKind::dense) {
    if (!rounding && this->at_zero(w, gradient, workers)) {
      gradient = nullptr;
      if (observation && identity)
        return Walk(*this, w, nullptr, nullptr, observation, workers, nullptr, nullptr).over_first(workers);
    }
  }
  if (gradient || observation)
    Walk(*this, w, nullptr, gradient, observation, workers, rounding, sizes).over_all(workers);
}

template <class Layout>
void SoftmaxMemory<Layout>::sampled_gradient(const State& w, const Sample& sample, Gradient<State>& gradient,
                                             const Workers& workers, const RandomRounding* rounding,
                                             const Sizes* sizes) const {
  if constexpr (Layout::kind == MemoryKind::columns) {
    this->pairs_gradient(w, &sample, gradient, workers, rounding, sizes);
  } else {
    Walk(*this, w, &sample, &gradient, nullptr, workers, rounding, sizes).over_all(workers);
  }
}

template <class Layout>
DirectionalTaylor<typename SoftmaxMemory<Layout>::Real> SoftmaxMemory<Layout>::expansion(
    const State& w, const State& direction, const Real& x, const Observation& seen,
    const Workers& workers) const {
  typename Layout::Pass pass(*this, direction, nullptr, nullptr, nullptr, workers, nullptr);
  const auto logits = this->logits_of(w, seen);
  constexpr Index together = 8;  // columns of one thread, on any layout
  std::vector<DirectionalTaylor<Real>> sums(
      static_cast<std::size_t>((this->columns() + together - 1) / together));
  pass.for_columns(workers, [&](Index l, QueryColumn<Real>& change) {
    // Most columns are zero in updates by samples.
    if (change.values.isZero(0)) return;
    const QueryAnswers<Real>& law = this->law(l);
    const Index size = change.values.size();
    UpdatedColumn<Real> column(size);
    column.change = change.values;
    logits(l, column.logit);
    for (Index k = 0; k < size; ++k) column.times(k) = change.times_at(k);
    for (const Index k : change.absent) column.logit(k) = column.logit(law.right_at.front());
    column.set_target(law, change.noise);
    const Real count(this->count(l));
    sums[l / together].add(expansion_of(column, x), count, count * Real(this->probability(l)));
  });
  DirectionalTaylor<Real> total;
  for (const DirectionalTaylor<Real>& sum : sums) total.add(sum, Real(1), Real(1));
  if constexpr (Layout::kind == MemoryKind::dense) {
    total.size = Layout::squared_norm(direction);
  } else {
    const Real norm = frobenius_norm(direction);
    total.size = norm * norm;
  }
  return total;
}

}  // namespace rarefact
