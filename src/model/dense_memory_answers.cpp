#include <cmath>

#include "algebra/product.hpp"
#include "model/dense_memory.hpp"

namespace rarefact {

void DenseMemory::set_pairs(const Population& population) {
  const Pairs& pairs = *population.pairs;
  background_.constant = label_noise_ / population.answers();
  if (label_noise_ > 0 && population.noise == NoiseAnswers::frequency) {
    noise_ = Vector::Zero(answers_);
    for (Index l = 0; l < pairs.queries(); ++l) {
      const auto query = static_cast<std::size_t>(l);
      for (std::size_t i = pairs.begin[query]; i < pairs.begin[query + 1]; ++i)
        noise_(pairs.answer[i]) += label_noise_ * pairs.probability[query] * pairs.share[i];
    }
    background_ = {noise_.maxCoeff(), {noise_.data(), static_cast<std::size_t>(noise_.size())}};
  }
  first_answer_ = pairs.begin;
  for (std::size_t l = 0; l < pairs.probability.size(); ++l) {
    cells_.push_back({(*population.query_group)[l], 0, 1, pairs.probability[l]});
    QueryAnswers<double>& law = law_.emplace_back();
    for (std::size_t i = pairs.begin[l]; i < pairs.begin[l + 1]; ++i) {
      const Index k = pairs.answer[i];
      law.add(k, (1 - label_noise_) * pairs.share[i], background_(k), 1, pairs.right[i] != 0);
    }
    law.finish(label_noise_);
  }
}

/// -Ẽ (J - 1pᵀ/K) Eᵀ from the answers that queries have.
void DenseMemory::pairs_at_zero(Gradient<State>& gradient, const Workers& workers) const {
  const Columns columns{.count = queries()};
  gradient.exponent = exponent_of(columns);
  Vector common = answer_->rowwise().sum() / static_cast<double>(answers_);  // less what noise draws
  if (background_.each.empty()) {
    common *= 1 - label_noise_;
  } else {
    common -= *answer_ * noise_;
  }
  Matrix pushed(answer_->rows(), queries());
  for (Index l = 0; l < queries(); ++l) {
    const QueryAnswers<double>& law = law_[l];
    pushed.col(l) = common;
    for (std::size_t i = 0; i < law.size(); ++i) pushed.col(l) -= law.share[i] * answer_->col(law.at[i]);
    pushed.col(l) *= std::ldexp(weight_of(columns, l), -gradient.exponent);
  }
  to_coordinates_of_w(pushed, columns, gradient, workers);
}

/// `logits` are read where the answer is not certain, `ratios` are those of wrong answers; `tie` is what ties differ by.
void DenseMemory::observe(Index l, const ColumnOdds<double>& odds, const RightLogits<double>& right,
                          const Vector& logits, const Eigen::Ref<const Vector>& ratios, double tie,
                          Observation& observation) const {
  const QueryAnswers<double>& law = law_[l];
  observation.log_odds[l] = odds.log_odds;
  observation.error[l] = logistic(odds.log_odds);
  observation.advantage[l] = odds.advantage;
  observation.excess_loss[l] =
      excess_loss(odds, law, right.largest, Answers<const Vector&>{logits, law.right_at, background_});
  if (first_answer_.empty()) return;
  double* log_answers = &observation.log_answers[first_answer_[l]];
  TopShare<double> share(odds.advantage, tie);
  for (std::size_t i = 0; i < law.size(); ++i) {
    const double below = law.certain() ? 0 : right.largest - logits(law.at[i]);
    log_answers[i] = odds.log_top - below;
    if (law.right[i]) share.add_right(below, law.share[i], 1);
  }
  if (share.wrong_count()) {
    for (Index k = 0; k < ratios.size(); ++k) share.add_wrong(ratios(k), law.share_at(k), 1);
  }
  observation.top_share[l] = share.mean() / (1 - label_noise_);
}

/// Σ_l p_l ln p̂(k|l) = (Ẽᵀ W E p)_k - Σ_l p_l ln Σ_j e^S_jl.
void DenseMemory::observe_means(const State& w, Observation& observation) const {
  Vector p(queries());
  for (Index l = 0; l < queries(); ++l) p(l) = cells_[l].probability;
  Vector mean = query_ ? Vector(w.entries * (*query_ * p)) : Vector(w.entries * p);
  if (answer_) mean = answer_->transpose() * mean;
  // ln Σ_j e^S_jl, of any answer that the query has.
  double log_sums = 0;
  for (Index l = 0; l < queries(); ++l) {
    const Vector column = query_ ? Vector(w.entries * query_->col(l)) : Vector(w.entries.col(l));
    const Index k = law_[l].at[0];
    log_sums += p(l) * ((answer_ ? answer_->col(k).dot(column) : column(k)) -
                        observation.log_answers[first_answer_[l]]);
  }
  observation.mean_log.assign(static_cast<std::size_t>(answers_), 0);
  for (Index k = 0; k < answers_; ++k) observation.mean_log[k] = mean(k) - log_sums;
}

}  // namespace rarefact
