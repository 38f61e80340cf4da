#pragma once

/// The associative memory on symmetric matrices: exact for every K at O((bM)²) a step.

#include "algebra/symmetric_parts.hpp"
#include "core/parallel.hpp"
#include "model/gradient.hpp"
#include "model/observation.hpp"
#include "model/population.hpp"
#include "model/random_rounding.hpp"
#include "model/second_moment.hpp"

namespace rarefact {

/// What one side's embedding is in the algebra. At most one of the two is set; neither: the identity.
template <class Real>
struct SymmetricEmbedding {
  MatrixOf<Real> block;    ///< E = I ⊗ block (b x b), when not empty
  double correlation = 0;  ///< E = G_ρ^½, G_ρ = (1-ρ) I + ρ 11ᵀ, when not zero; 0 <= ρ < 1
};

/// Groups of blocks whose classes need not be equally likely, only the blocks of a group alike.
struct BlockGroups {
  Index block = 1;                  ///< b
  std::vector<double> count;        ///< blocks per group; real at quadrature nodes
  std::vector<double> probability;  ///< of one class, for every group and position in the block
};

/// Groups of equally likely classes cut into blocks; each count must be a multiple of `block`.
BlockGroups in_blocks(const ClassGroups& groups, Index block);

/// S = Ẽᵀ W E and G = (P̂ - Π) diag(p) in the algebra of theory: S and G stay in it when W does. Real is
/// double or Real50; what defines the problem (p, α, n_i, the embeddings) are the doubles they are for both.
template <class Real>
class SymmetricMemory {
 public:
  using State = SymmetricMatrix<Real>;

  /// With `removes_recovered` columns of G whose right logit is strictly the largest are zero. `couples_columns`: the
  /// updates of W mix its columns, and what they round off (ties).
  /// Preconditions: K >= 2, 0 <= label_noise < 1.
  SymmetricMemory(const BlockGroups& groups, double label_noise, SymmetricEmbedding<Real> query,
                  SymmetricEmbedding<Real> answer, bool removes_recovered = false,
                  bool couples_columns = false);
  SymmetricMemory(const Population& population, Index block, SymmetricEmbedding<Real> query,
                  SymmetricEmbedding<Real> answer, bool removes_recovered = false,
                  bool couples_columns = false)
      : SymmetricMemory(in_blocks(population.queries, block), population.label_noise, std::move(query),
                        std::move(answer), removes_recovered, couples_columns) {}

  State zero() const { return State(structure_); }
  /// One cell for every group and position in its blocks.
  std::vector<Cell> cells() const;
  void evaluate(const State& w, Gradient<State>* gradient, Observation* observation, const Workers& workers,
                const RandomRounding* rounding = nullptr) const;
  /// Of the queries' embeddings.
  SecondMoment<State> second_moment_root() const;
  /// Ẽ X Eᵀ.
  State to_ambient(const State& x) const;
  /// Ẽᵀ W E.
  State logits(const State& w) const;
  /// (Ẽᵀ X E)_ll of every cell.
  std::vector<double> right_logits(const State& x, const Workers& workers) const;
  /// ‖uᵀX‖ for the unit vector u with uᵀ∇L = 0 at every W: the image Ẽ1 of the vector of ones, which the
  /// correlations only stretch.
  Real left_null_part(const State& x, const Workers& workers) const;

 private:
  bool identity() const { return query_.block.size() + answer_.block.size() == 0 && correlations() == 0; }
  double correlations() const { return query_.correlation + answer_.correlation; }

  SharedStructure structure_;
  VectorOf<Real> probability_, scaled_probability_;  // of one class, per group and position
  Real classes_, label_noise_;
  bool removes_recovered_, couples_columns_;
  int exponent_;
  SymmetricEmbedding<Real> query_, answer_;
};

extern template class SymmetricMemory<double>;

}  // namespace rarefact
