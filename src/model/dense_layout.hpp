#pragma once

/// The associative memory on dense matrices: any embeddings, any answer law, one column per query.

#include <memory>

#include "algebra/dense_matrix.hpp"
#include "algebra/product.hpp"
#include "model/softmax_memory.hpp"

namespace rarefact {

struct DenseOptions {
  bool keeps_task = true;        ///< gradients have G itself; without embeddings they always do
  bool couples_columns = false;  ///< updates of W mix its columns and their rounding errors (for ties)
  /// Products with the embeddings (S and Ẽ G) and exponentials are in single precision; sums, W and ∇L are in double.
  bool single = false;
  /// Columns of ∇L that are no more than the rounding of the terms of which they are sums are 0, for rules that move W
  /// along all singular vectors equally far. Ordinary repetitions keep them: their random rounding shows what the run
  /// does not see. Without embeddings nothing is dropped.
  bool drops_rounding = false;
  /// The same only if all of ∇L is rounding, for other rules to which its size does not matter.
  bool drops_all_or_none = false;
};

/// S = Ẽᵀ W E, ∇L = Ẽ G Eᵀ. An absent embedding is the identity (or the task basis of orthonormal ones).
///
/// Columns are processed in tiles from W to Ẽ G, so that logits, softmax and residual of a tile stay in the
/// cache. No K x K array exists unless W is one or the task gradient or the logits are requested.
class DenseLayout {
 public:
  using State = DenseMatrix;
  static constexpr MemoryKind kind = MemoryKind::dense;

  /// Classes of the identity law are written out group by group; other laws are given as pairs. E has a
  /// column for each query, Ẽ for each answer; runs may share them. K >= 2. Gradients always have ∇L.
  DenseLayout(const Population& population, std::shared_ptr<const Matrix> query,
              std::shared_ptr<const Matrix> answer, DenseOptions options = {});

  State zero() const;
  /// ‖X‖²_F, summed by columns: in one long sum, rounding errors of equal numbers would accumulate.
  static double squared_norm(const State& x) { return x.entries.colwise().squaredNorm().sum(); }
  std::vector<Cell> cells() const { return cells_; }
  /// The Hessian of the softmax loss at W, of the population or, if not null, of a sample. For one training
  /// only, because it caches what does not depend on W. The layout and `workers` must outlive it.
  std::function<Hessian<State>(const State& w, const Sample* sample)> hessians(const Workers& workers) const;
  /// Known properties of gradients of the softmax loss for msgn: columns of G sum to zero, so Ẽ⁻ᵀ 1 is a left
  /// null vector of ∇L.
  PolarHint polar_hint() const;
  /// The second moment of the queries' embeddings; in the task basis if E is absent.
  SecondMoment<State> second_moment_root() const;
  /// E and Ẽ; null if they are the identity.
  const Matrix* query() const { return query_.get(); }
  const Matrix* answer() const { return answer_.get(); }
  bool without_embeddings() const { return !query_ && !answer_; }
  bool has_attributes() const { return attributes_.has_value(); }
  std::array<bool, 2> wrong_attributes(Index l, Index k) const { return attributes_->wrong(l, k); }
  bool identity_queries() const { return !query_; }
  /// Π: π(k|l) of every answer and query.
  State laws() const;
  /// X E.
  State with_queries(const State& x, const Workers& workers) const;
  /// Ẽᵀ W E.
  State logits(const State& w) const;
  /// Ẽ X Eᵀ, Ẽ X and X Eᵀ.
  State to_ambient(const State& x) const;
  State of_answers(const State& x) const;
  State by_queries(const State& x) const;
  std::vector<Index> right_answers() const;
  /// The training probability of every query or answer.
  Vector probabilities(Side side) const;
  /// (Ẽᵀ X E)_ll of every cell, without the other logits.
  std::vector<double> right_logits(const State& x, const Workers& workers) const;
  /// max_kl |(Ẽᵀ X E)_kl/scale - δ_kl|, scale as given or the mean of the diagonal; NaN if that is 0. By tiles,
  /// with no K x K matrix. Precondition: query l has answer l.
  double identity_deviation(const State& x, std::optional<double> scale, const Workers& workers) const;
  /// ‖uᵀX‖ for the unit vector u in the span of Ẽ with uᵀ∇L = 0 at every W: Ẽᵀu is a multiple of 1. NaN if
  /// there is none, as with more answers than dimensions.
  double left_null_part(const State& x, const Workers& workers) const;
  /// X - u uᵀX: along u, sums of gradients and weights have only rounding errors.
  void drop_left_null(State& x) const;

 protected:
  class Pass;
  double answers() const { return static_cast<double>(answers_); }
  double label_noise() const { return label_noise_; }
  const QueryAnswers<double>& law(Index l) const { return law_[l]; }
  const std::vector<std::size_t>& first_answer() const { return first_answer_; }
  std::span<const Index> answers_at(Index l) const { return law(l).at; }
  static Index place(Index, Index answer) { return answer; }
  Index columns() const { return queries(); }
  int exponent() const { return columns_of(nullptr).exponent; }
  static double count(Index) { return 1; }
  double probability(Index l) const { return cells_[l].probability; }
  double training(Index l) const { return cells_[l].training; }
  bool mixes_columns() const { return options_.couples_columns || !without_embeddings(); }
  bool removes_recovered() const { return removes_recovered_; }
  bool single() const { return options_.single; }
  std::function<void(Index, Eigen::Ref<Vector>)> logits_of(const State& w, const Observation& seen) const;
  /// If W = 0 computes the gradient and returns true. Every p̂ is then 1/K, and unless G itself is requested
  /// the cost is that of the pairs plus N d_out d_in instead of K N d: ∇L = -Ẽ (J - 1pᵀ/K) Eᵀ, J_kl = p_l
  /// π(k|l) (kim2026 for the identity law).
  bool at_zero(const State& w, Gradient<State>* gradient, const Workers& workers) const;

 private:
  /// The queries whose columns are computed, in order; all of them without a sample.
  struct Columns {
    const Sample* sample = nullptr;
    Index count = 0;
    int exponent = 0;  ///< weights are in units of 2^exponent
    Index operator[](Index i) const { return sample ? sample->query[i] : i; }
  };
  /// E, Ẽ and Ẽᵀ as factors of products.
  template <class Real>
  struct Factors {
    std::shared_ptr<const MatrixOf<Real>> query;
    PackedFactor<Real> answer, answer_transposed;
  };
  /// W as the left factor of products; one of the two.
  struct PackedWeights {
    PackedFactor<double> full;
    PackedFactor<float> single;
  };
  class HessianSource;
  Index queries() const { return std::ssize(cells_); }
  void set_identity(const Population& population);
  void set_pairs(const Population& population);
  Columns columns_of(const Sample* sample) const;
  Vector weights_of(const Columns& columns) const;
  PackedWeights packed(const State& w, const Workers& workers) const;
  Index tile_width(Index columns, const Workers& workers) const;
  void tile_logits(const PackedWeights& packed_w, const State& w, const Columns& columns, Index begin,
                   Eigen::Ref<Matrix> tile) const;
  template <class Real>
  void products(const Factors<Real>& factors, const PackedFactor<Real>& packed_w, const State& w,
                const Columns& columns, Index begin, Eigen::Ref<Matrix> tile) const;
  void push(const Eigen::Ref<const Matrix>& tile, Eigen::Ref<Matrix> pushed) const;
  /// The unit vector u = Ẽ z with Ẽᵀu a multiple of 1; null if the columns of Ẽ are dependent.
  static std::shared_ptr<const Vector> null_direction(const Matrix& answer);
  State in_coordinates_of_w(const Matrix& pushed, const Columns& columns, const Workers& workers) const;
  /// `sizes`: of the terms of every column of Ẽ G.
  void drop_rounding(Matrix& image, const Vector& sizes, const Columns& columns) const;

  std::vector<Cell> cells_;
  std::vector<QueryAnswers<double>> law_;  // of every query
  std::vector<std::size_t> first_answer_ =
      {};  // first answer of every query among those of all; empty for the identity
  Index answers_;
  double label_noise_;
  Vector noise_;                         // α b of every answer; empty if all are equal
  NoiseProbability<double> background_;  // the same
  DenseOptions options_;
  bool removes_recovered_;
  std::shared_ptr<const Matrix> query_, answer_;
  std::optional<AttributeGrid> attributes_;
  Vector answer_sizes_;                      // ‖ẽ_k‖
  std::shared_ptr<const Vector> left_null_;  // null if there is none
  Factors<double> full_;
  std::optional<Factors<float>> single_;
};

using DenseMemory = SoftmaxMemory<DenseLayout>;
extern template class SoftmaxMemory<DenseLayout>;

/// Scratch for a tile of columns; private to the layout.
namespace dense_tile {

/// The contents of a buffer: logits or residuals; gathered columns; W times these; changes of logits; Ẽ times residuals.
enum class Holding { logits, gathered, half, changes, pushed };

/// A buffer of the thread, uninitialised; a tile needs up to four at once. It is an Eigen matrix, because the
/// alignment decides in which order Eigen sums a column: with the alignment of Eigen matrices and tiles that
/// begin at multiples of 8, this order depends only on the class.
template <Holding holding, class Real = double>
Eigen::Map<MatrixOf<Real>> scratch(Index rows, Index columns) {
  static thread_local VectorOf<Real> numbers;
  if (numbers.size() < rows * columns) numbers.resize(rows * columns);
  return {numbers.data(), rows, columns};
}

}  // namespace dense_tile

}  // namespace rarefact
