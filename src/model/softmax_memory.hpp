#pragma once

/// The associative memory: W learns by the cross-entropy of p̂ = softmax(Ẽᵀ W E), on any layout of its columns.

#include "algebra/algebra.hpp"
#include "core/parallel.hpp"
#include "model/directional_taylor.hpp"
#include "model/observation.hpp"
#include "model/random_rounding.hpp"
#include "model/softmax_column.hpp"

namespace rarefact {

/// The kinds of memories, which have some members of their own. They are asked for by kind, so that a member that is renamed
/// is an error of the compiler and not another path.
enum class MemoryKind { columns, symmetric, dense, least_squares };

/// A layout maps a state W to columns of logits, with the answers of their entries, and applies the
/// embeddings. SoftmaxMemory needs from it
///
///     Pass(layout, w, sample, gradient, observation, workers, rounding)   a pass over the columns of all queries, or of a sample's
///       for_columns(workers, body)        body(i, QueryColumn&) with the logits of column i; if there is a gradient, body
///                                         replaces them by the residual. A thread takes eight columns from a multiple of 8
///                                         on, in order
///       scale(i, change), finish()        multiplies the residual of column i by 2^change; computes Ẽ G Eᵀ
///       mean_logits()                     Σ_l p_l S_kl of every answer, or type
///     columns(), count(l), probability(l) number of columns; queries that column l represents; probability of one of them
///     training(l), exponent()             its weight in the gradient; binary exponent of the largest
///     law(l), place(l, answer)            answers of query l by places in its column
///     first_answer(), answers_at(l)       laws other than the identity: start of the answers of query l among all, and
///                                         their places in the column
///     mixes_columns()                     the rounding of every entry of W is in every logit
///     single(), removes_recovered()       exponentials are in single precision; recovered facts have no gradient
///     logits_of(w, seen)                  (l, into): column l of the logits of W, which `seen` observes
///     kind                                which members it has besides: columns pairs(), for columns of two numbers;
///                                         dense at_zero(), for W = 0; dense and symmetric has_attributes() and
///                                         wrong_attributes(l, k), whether the entries at place k of column l have the wrong
///                                         subject, the wrong relation
template <class Layout>
class SoftmaxMemory : public Layout {
 public:
  using State = typename Layout::State;
  using Real = typename State::Scalar;

  using Layout::Layout;
  SoftmaxMemory(Layout layout) : Layout(std::move(layout)) {}

  /// The sizes that entries of W have had, of each column or, if columns are mixed, of all: where W returns to 0,
  /// logits of the size of their rounding tie.
  using Sizes = VectorOf<Real>;
  /// Raises the sizes to those of W, in which only columns stored in the update have changed.
  void note_sizes(const State& w, const State& update, Sizes& sizes) const;

  /// Gradient and observation of the population at W; either may be null. `sizes`: null if W alone counts.
  void evaluate(const State& w, Gradient<State>* gradient, Observation* observation, const Workers& workers,
                const RandomRounding* rounding = nullptr, const Sizes* sizes = nullptr) const;
  /// The gradient over the pairs of a sample, at a cost proportional to its distinct queries.
  void sampled_gradient(const State& w, const Sample& sample, Gradient<State>& gradient,
                        const Workers& workers, const RandomRounding* rounding = nullptr,
                        const Sizes* sizes = nullptr) const;
  /// The population loss along W ← W - x D; `seen` is the observation of W.
  DirectionalTaylor<Real> expansion(const State& w, const State& direction, const Real& x,
                                    const Observation& seen, const Workers& workers) const;

 private:
  class Walk;
};

}  // namespace rarefact
