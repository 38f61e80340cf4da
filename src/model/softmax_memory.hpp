#pragma once

/// The associative memory: W learns by the cross-entropy of p̂ = softmax(Ẽᵀ W E), on any layout of its columns.

#include "algebra/algebra.hpp"
#include "core/parallel.hpp"
#include "model/curvature.hpp"
#include "model/gradient.hpp"
#include "model/loss.hpp"
#include "model/observation.hpp"
#include "model/population.hpp"
#include "model/random_rounding.hpp"
#include "model/softmax_column.hpp"

namespace rarefact {

/// A layout maps a state W to columns of logits, with the answers of their entries, and applies the
/// embeddings. For its memory it has
///
///     Pass(layout, w, sample, gradient, observation, workers, rounding)   a pass over the columns of all queries, or of those in a sample
///       for_columns(workers, body)        body(i, QueryColumn&) with the logits of column i; where there is a gradient the
///                                         body leaves the residual. Eight columns from a multiple of 8 on are one thread's,
///                                         in order
///       scale(i, change), finish()        the residual of column i times 2^change; then Ẽ G Eᵀ
///       mean_logits()                     Σ_l p_l S_kl of every answer, or type
///     columns(), count(l), probability(l) their number; the count of queries of column l, and the probability of one
///     exponent()                          that of the largest probability
///     law(l), place(l, answer)            the answers of query l by places in its column
///     first_answer(), answers_at(l)       of laws other than the identity where the answers of query l begin among all, and
///                                         their places in the column
///     tie_size(w)                         size of entries whose rounding is in every logit
///     single(), removes_recovered()       whether exponentials are in single precision; facts with an advantage drop out
///     logits_of(w, seen)                  (l, into): column l of the logits of the W that `seen` is of
///
/// and may have shortcuts: at_zero for W = 0; pairs for columns of two numbers.
template <class Layout>
class SoftmaxMemory : public Layout {
 public:
  using State = typename Layout::State;
  using Real = typename State::Scalar;

  using Layout::Layout;
  /// `loss`: another function of p̂ than the cross-entropy.
  SoftmaxMemory(Layout layout, const ColumnLoss& loss = {})
      : Layout(std::move(layout)), loss_(loss.template in<Real>()) {}

  /// Gradient and observation of the population at W; either may be null.
  void evaluate(const State& w, Gradient<State>* gradient, Observation* observation, const Workers& workers,
                const RandomRounding* rounding = nullptr) const;
  /// The gradient over the pairs of a sample, at a cost proportional to its distinct queries.
  void sampled_gradient(const State& w, const Sample& sample, Gradient<State>& gradient,
                        const Workers& workers, const RandomRounding* rounding = nullptr) const;
  /// The population loss along W ← W - x D; `seen` is the observation of W.
  DirectionalTaylor<Real> expansion(const State& w, const State& direction, const Real& x,
                                    const Observation& seen, const Workers& workers) const;

 private:
  class Walk;
  ColumnLoss::Of<Real> loss_ = nullptr;
};

}  // namespace rarefact
