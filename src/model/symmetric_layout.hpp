#pragma once

/// The associative memory on symmetric matrices: exact for every K at O((bM)²) per step.

#include "algebra/symmetric_parts.hpp"
#include "model/attribute_view.hpp"
#include "model/softmax_memory.hpp"

namespace rarefact {

/// The embedding of queries or answers. At most one member is set; none: the identity.
template <class Real>
struct SymmetricEmbedding {
  MatrixOf<Real> block;    ///< E = I ⊗ block (b x b), when not empty
  double correlation = 0;  ///< EᵀE = (1-ρ) I + ρ 11ᵀ, when not zero; 0 <= ρ < 1
  std::shared_ptr<const AttributeView<Real>> attributes = {};  ///< queries that are sums of attributes
};

/// Groups of classes divided into blocks of `block` classes, each a component; every count must be a multiple
/// of `block`.
Components in_blocks(const ClassGroups& groups, Index block);

/// S = Ẽᵀ W E and G = (P̂ - Π) diag(p) in the algebra of components: S and G are in it if W is. A column
/// consists of its entries in its own component, then those in others. Real is double or Real50; the problem (p, α, n_i,
/// the embeddings) is given in doubles for both.
template <class Real>
class SymmetricLayout {
 public:
  using State = SymmetricMatrix<Real>;
  static constexpr MemoryKind kind = MemoryKind::symmetric;

  /// The components of a law; `identity`: query l has answer l, in blocks. Of the population the noise and the law of
  /// training count. `couples_columns`: updates of W mix its columns, and their rounding errors (for ties). Preconditions:
  /// K >= 2, 0 <= label_noise < 1.
  SymmetricLayout(const Components& components, bool identity, const Population& population,
                  SymmetricEmbedding<Real> query, SymmetricEmbedding<Real> answer,
                  bool couples_columns = false);
  SymmetricLayout(const Population& population, Index block, SymmetricEmbedding<Real> query,
                  SymmetricEmbedding<Real> answer, bool couples_columns = false)
      : SymmetricLayout(population.components ? *population.components : in_blocks(population.queries, block),
                        !population.components, population, std::move(query), std::move(answer),
                        couples_columns) {}

  State zero() const { return State(query_.attributes ? query_.attributes->weights() : structure_); }
  const GroupStructure& structure() const { return *structure_; }  ///< of logits
  const Real& answers() const { return answers_; }                 ///< K
  /// One cell for every query type; for the identity, for every group and position in its blocks.
  std::vector<Cell> cells() const { return cells_; }
  /// max p_l p̂(k|l)/σ over identical classes: the factor, per unit of step size, by which an update by msgn
  /// multiplies a difference between them. For identical queries l, σ is the norm of row k of ∇L within its
  /// component, for identical answers k that of column l within its component. 0 without identical classes, or
  /// if updates do not mix columns.
  double twin_gain(const Gradient<State>& gradient) const;
  /// The training probability of one query of every column type, or of one answer of every row type.
  VectorOf<Real> probabilities(Side side) const;
  /// The second moment of the queries' embeddings.
  SecondMoment<State> second_moment_root() const;
  /// Ẽ X Eᵀ.
  State to_ambient(const State& x) const;
  /// Ẽᵀ W E.
  State logits(const State& w) const;
  /// Π: π(k|l) of every type of answer and query.
  State laws() const;
  /// X E, Ẽ X, and X Eᵀ.
  State with_queries(const State& x, const Workers& workers) const;
  State of_answers(const State& x) const;
  State by_queries(const State& x) const;
  /// True if E is the identity; if E and Ẽ are.
  bool identity_queries() const {
    return query_.block.size() == 0 && query_.correlation == 0 && !query_.attributes;
  }
  bool without_embeddings() const {
    return identity_queries() && answer_.block.size() == 0 && answer_.correlation == 0;
  }
  /// W(0) of the start `manifold`. Precondition: queries are sums of attributes.
  State attribute_start(double scale) const { return query_.attributes->start(Real(scale)); }
  State gain_matrix(const std::array<double, 2>& b) const { return query_.attributes->gains(b); }
  bool has_attributes() const { return query_.attributes != nullptr; }
  std::array<bool, 2> wrong_attributes(Index l, Index k) const { return query_.attributes->wrong(l, k); }
  /// The first right answer of every cell, by its row in the component.
  std::vector<Index> right_answers() const;
  /// (Ẽᵀ X E)_ll of every cell.
  std::vector<double> right_logits(const State& x, const Workers& workers) const;
  /// ‖uᵀX‖ for the unit vector u with uᵀ∇L = 0 at every W, along Ẽ⁻ᵀ1.
  Real left_null_part(const State& x, const Workers& workers) const;
  /// X - u uᵀX: along u, sums of gradients and weights have only rounding errors.
  void drop_left_null(State& x) const;

 protected:
  class Pass;
  const Real& label_noise() const { return label_noise_; }
  const QueryAnswers<Real>& law(Index column) const { return law_[column]; }
  const std::vector<std::size_t>& first_answer() const { return first_answer_; }
  std::span<const Index> answers_at(Index column) const { return law(column).at; }
  /// For samples, where every class is its own component.
  Index place(Index column, Index answer) const { return answer == column ? 0 : 1 + answer; }
  Index columns() const { return structure_->columns(); }
  int exponent() const { return exponent_; }
  const Real& count(Index column) const { return query_counts_(column); }
  double probability(Index column) const { return cells_[column].probability; }
  double training(Index column) const { return cells_[column].training; }
  bool mixes_columns() const { return couples_columns_; }
  static bool single() { return false; }
  bool removes_recovered() const { return removes_recovered_; }
  std::function<void(Index, Eigen::Ref<VectorOf<Real>>)> logits_of(const State& w, const Observation&) const;

 private:
  Index height(Index column) const {
    return structure_->row_types().size(structure_->column_types().group(column));
  }
  void put_logits(const State& s, Index column, Real* into) const;
  void set_cells(const Components& components, const SamplingLaw& sampling);
  void set_laws(const Components& components);

  SharedStructure structure_;
  std::vector<Cell> cells_;         // one per column
  std::vector<Index> rarest_last_;  // columns by their weight in training, in which E is triangular
  VectorOf<Real> answer_counts_, answer_multiplicity_, query_counts_;
  std::vector<QueryAnswers<Real>> law_;     // of every column, within its component
  std::vector<std::size_t> first_answer_;   // first answer of every column among all; empty for the identity
  std::vector<std::vector<Index>> absent_;  // for every group the padding entries of its columns (count 0)
  VectorOf<Real> noise_;                    // α b of one answer of every row; empty if all are equal
  NoiseProbability<Real> background_;       // the same
  Real answers_, label_noise_;
  bool identity_law_, removes_recovered_, couples_columns_;
  int exponent_;
  SymmetricEmbedding<Real> query_, answer_;
};

template <class Real>
using SymmetricMemory = SoftmaxMemory<SymmetricLayout<Real>>;

extern template class SymmetricLayout<double>;
extern template class SoftmaxMemory<SymmetricLayout<double>>;

}  // namespace rarefact
