#pragma once

/// The associative memory on symmetric matrices: exact for every K at O((bM)²) a step.

#include "algebra/symmetric_parts.hpp"
#include "core/parallel.hpp"
#include "model/column_loss.hpp"
#include "model/curvature.hpp"
#include "model/gradient.hpp"
#include "model/observation.hpp"
#include "model/population.hpp"
#include "model/random_rounding.hpp"
#include "model/second_moment.hpp"

namespace rarefact {

/// What one side's embedding is in the algebra. At most one of them is set; none: the identity.
template <class Real>
struct SymmetricEmbedding {
  MatrixOf<Real> block;    ///< E = I ⊗ block (b x b), when not empty
  double correlation = 0;  ///< EᵀE = (1-ρ) I + ρ 11ᵀ, when not zero; 0 <= ρ < 1
  double similarity = 0;   ///< EᵀE = (1-c) I + c (ones inside a unit), when not zero; 0 <= c < 1
};

/// Equally likely classes cut into blocks of the identity, each a unit; each count must be a multiple of `block`.
Units in_blocks(const ClassGroups& groups, Index block);
/// So many units of each group, of `block` queries that have an answer of their own each; probabilities are left at 0.
Units block_units(const std::vector<double>& count, Index block);

/// S = Ẽᵀ W E and G = (P̂ - Π) diag(p) in the algebra of units: S and G stay in it when W does. Real is
/// double or Real50; what defines the problem (p, α, n_i, the embeddings) are the doubles they are for both.
template <class Real>
class SymmetricMemory {
 public:
  using State = SymmetricMatrix<Real>;

  /// The units of a law; `identity`: query l has answer l, in blocks. With `removes_recovered` columns of G whose right
  /// logit is strictly the largest are zero. `couples_columns`: the updates of W mix its columns, and what they round off
  /// (ties). Preconditions: K >= 2, 0 <= label_noise < 1.
  SymmetricMemory(const Units& units, bool identity, double label_noise, NoiseAnswers noise,
                  SymmetricEmbedding<Real> query, SymmetricEmbedding<Real> answer,
                  bool removes_recovered = false, bool couples_columns = false);
  SymmetricMemory(const Population& population, Index block, SymmetricEmbedding<Real> query,
                  SymmetricEmbedding<Real> answer, bool removes_recovered = false,
                  bool couples_columns = false)
      : SymmetricMemory(population.units ? *population.units : in_blocks(population.queries, block),
                        !population.units, population.label_noise, population.noise, std::move(query),
                        std::move(answer), removes_recovered, couples_columns) {}

  State zero() const { return State(structure_); }
  const GroupStructure& structure() const { return *structure_; }
  /// One for every query type: of the identity, for every group and position in its blocks.
  std::vector<Cell> cells() const { return cells_; }
  void evaluate(const State& w, Gradient<State>* gradient, Observation* observation, const Workers& workers,
                const RandomRounding* rounding = nullptr) const;
  /// The gradient over the pairs of a sample: of the identity without blocks, whose samples show classes that are groups of
  /// their own alone.
  void sampled_gradient(const State& w, const Sample& sample, Gradient<State>& gradient,
                        const Workers& workers, const RandomRounding* rounding = nullptr) const;
  /// max p_l p̂(k|l)/σ over twins: what an update by msgn multiplies the difference of twins by, per unit of its size. For
  /// twin queries l σ is the norm of ∇L's row k inside its unit, for twin answers k that of column l inside its unit. 0 where there are no twins, or
  /// updates mix no columns.
  double twin_gain(const Gradient<State>& gradient) const;
  /// The population loss along W ← W - x D, from the W that `seen` is of.
  Expansion<Real> expansion(const State& w, const State& direction, const Real& x, const Observation& seen,
                            const Workers& workers) const;
  /// Of the queries' embeddings.
  SecondMoment<State> second_moment_root() const;
  /// Ẽ X Eᵀ.
  State to_ambient(const State& x) const;
  /// Ẽᵀ W E.
  State logits(const State& w) const;
  /// X E, and Ẽ X.
  State with_queries(const State& x, const Workers& workers) const;
  State of_answers(const State& x) const;
  /// Whether E is; whether E and Ẽ are.
  bool identity_queries() const {
    return query_.block.size() == 0 && query_.correlation == 0 && query_.similarity == 0;
  }
  bool without_embeddings() const { return identity(); }
  /// Of every cell the first right answer, by its row in the unit.
  std::vector<Index> right_answers() const;
  /// (Ẽᵀ X E)_ll of every cell.
  std::vector<double> right_logits(const State& x, const Workers& workers) const;
  /// ‖uᵀX‖ for the unit vector u with uᵀ∇L = 0 at every W, along Ẽ⁻ᵀ1.
  Real left_null_part(const State& x, const Workers& workers) const;

 private:
  bool identity() const {
    return query_.block.size() + answer_.block.size() == 0 &&
           query_.correlation + answer_.correlation + query_.similarity + answer_.similarity == 0;
  }
  /// Size of the entries beside which a tie is one; the right logit's own is known.
  Real tie_size(const State& w, const RandomRounding* rounding) const {
    Real size(rounding ? RandomRounding::logit_size : 0);
    if (couples_columns_)
      size = std::max({size, w.own_entries().cwiseAbs().maxCoeff(), w.other_entries().cwiseAbs().maxCoeff()});
    return size;
  }
  void set_cells(const Units& units);
  void set_laws(const Units& units);
  void observe_answers(const State& s, const std::vector<ColumnOdds<Real>>& odds, const State& ratio,
                       const Real& tie, Observation& observation) const;
  void observe_means(const State& s, const std::vector<ColumnOdds<Real>>& odds,
                     Observation& observation) const;

  SharedStructure structure_;
  std::vector<Cell> cells_;                          // one a column
  VectorOf<Real> probability_, scaled_probability_;  // of one query of every column
  std::vector<Index> rarest_last_;                   // columns by probability, in which E is triangular
  VectorOf<Real> answer_counts_, answer_twins_, query_counts_;
  std::vector<QueryAnswers<Real>> law_;     // of every column, within its unit
  std::vector<std::vector<Index>> absent_;  // of every group: rows of which no other unit has any
  VectorOf<Real> noise_;                    // α b of one answer of every row; where all are alike empty
  Background<Real> background_;             // the same
  Real answers_, label_noise_;
  bool identity_law_, removes_recovered_, couples_columns_;
  int exponent_;
  SymmetricEmbedding<Real> query_, answer_;
};

extern template class SymmetricMemory<double>;

}  // namespace rarefact
