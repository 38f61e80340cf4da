#pragma once

/// The associative memory on dense matrices: any embedding, any law of answers, one column a query.

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>

#include "algebra/dense_matrix.hpp"
#include "algebra/product.hpp"
#include "core/parallel.hpp"
#include "model/column_loss.hpp"
#include "model/curvature.hpp"
#include "model/gradient.hpp"
#include "model/observation.hpp"
#include "model/population.hpp"
#include "model/random_rounding.hpp"
#include "model/second_moment.hpp"

namespace rarefact {

namespace dense_tile {

/// Columns whose logits a thread holds at a time: what a product likes, but a few million numbers at most; a
/// multiple of 8 unless one tile has them all.
inline Index width(Index columns, Index rows, int threads) {
  const Index most_entries = Index{1} << 23;
  return std::min(product_tile(columns, threads), std::max<Index>(16, most_entries / rows / 8 * 8));
}

/// A matrix of the thread, large enough; its contents are nobody's. A tile needs up to four at once. Eigen's
/// own storage, because where it begins in memory decides in which order Eigen adds up a column: aligned as
/// any matrix is, and with tiles that begin at multiples of 8, that order is a function of the class alone.
template <int which, class Real = double>
Eigen::Map<MatrixOf<Real>> scratch(Index rows, Index columns) {
  static thread_local VectorOf<Real> numbers;
  if (numbers.size() < rows * columns) numbers.resize(rows * columns);
  return {numbers.data(), rows, columns};
}

}  // namespace dense_tile

/// S = Ẽᵀ W E, ∇L = Ẽ G Eᵀ. An absent embedding is the identity (or the task basis of orthonormal ones).
///
/// Columns are taken a tile at a time from W to Ẽ G: logits, softmax and residual of a tile stay in the
/// cache, and no K x K array exists unless a state is one, the task gradient is asked for or logits are.
class DenseMemory {
 public:
  using State = DenseMatrix;

  /// The identity's classes are written out group by group; other laws come as pairs. E has a column for each query, Ẽ
  /// for each answer; runs may share them. K >= 2. Gradients carry G itself only if `keeps_task` or if both embeddings are
  /// absent; ∇L they always carry. With `removes_recovered` columns of G whose right logit is strictly the
  /// largest are zero. `couples_columns`: the updates of W mix its columns, and what they round off (ties). In `single`
  /// precision products with both embeddings' columns, S and Ẽ G, and exponentials are: sums over them, W and ∇L are not.
  DenseMemory(const Population& population, std::shared_ptr<const Matrix> query,
              std::shared_ptr<const Matrix> answer, bool keeps_task = true, bool removes_recovered = false,
              bool couples_columns = false, bool single = false);

  State zero() const;
  std::vector<Cell> cells() const { return cells_; }
  /// Population gradient and observation, each unless null. Where W = 0 every p̂ is 1/K, and unless G itself
  /// is asked for the gradient costs as much as the pairs and N d_out d_in, instead of K N d: ∇L = -Ẽ (J - 1pᵀ/K) Eᵀ,
  /// J_kl = p_l π(k|l) (kim2026, of the identity).
  void evaluate(const State& w, Gradient<State>* gradient, Observation* observation, const Workers& workers,
                const RandomRounding* rounding = nullptr) const;
  /// The gradient over the pairs of a sample, at a cost proportional to its distinct queries.
  void sampled_gradient(const State& w, const Sample& sample, Gradient<State>& gradient,
                        const Workers& workers, const RandomRounding* rounding = nullptr) const;
  /// The Hessian at any W, of the population or of a sample where that is not null; for one training, as it
  /// keeps what does not change with W. The memory and `workers` must outlive it.
  std::function<Curvature<State>(const State& w, const Sample* sample)> curvatures(
      const Workers& workers) const;
  /// The population loss along W ← W - x D, at the cost of the logits of D: those of W `seen` has kept.
  Expansion<double> expansion(const State& w, const State& direction, double x, const Observation& seen,
                              const Workers& workers) const;
  /// What msgn may know of gradients: columns of G sum to zero, so Ẽ⁻ᵀ 1 is a left null vector of ∇L.
  PolarHint polar_hint() const;
  /// Of the queries' embeddings; in the task basis where E is absent.
  SecondMoment<State> second_moment_root() const;
  /// E and Ẽ; null where they are the identity.
  const Matrix* query() const { return query_.get(); }
  const Matrix* answer() const { return answer_.get(); }
  /// X E.
  State with_queries(const State& x, const Workers& workers) const;
  /// Ẽᵀ W E.
  State logits(const State& w) const;
  /// Ẽ X Eᵀ.
  State to_ambient(const State& x) const;
  /// Of every query the first right answer.
  std::vector<Index> right_answers() const;
  /// (Ẽᵀ X E)_ll of every cell, without the other logits.
  std::vector<double> right_logits(const State& x, const Workers& workers) const;
  /// ‖uᵀX‖ for the unit vector u in the span of Ẽ with uᵀ∇L = 0 at every W: Ẽᵀu is a multiple of 1. NaN where
  /// there is none, as with more answers than dimensions.
  double left_null_part(const State& x, const Workers& workers) const;

 private:
  /// Classes whose columns are taken, in order; all of them where there is no sample.
  struct Columns {
    const Sample* sample = nullptr;
    Index count = 0;
    Index operator[](Index i) const { return sample ? sample->query[i] : i; }
  };
  /// E, Ẽ and Ẽᵀ in single precision, where products are.
  struct SingleFactors {
    MatrixOf<float> query;
    PackedFactor<float> answer, answer_transposed;
  };
  /// W as the left factor of products; one of the two.
  struct PackedWeights {
    PackedFactor<double> full;
    PackedFactor<float> single;
  };
  class Hessian;
  Index queries() const { return static_cast<Index>(cells_.size()); }
  void set_identity(const Population& population);
  void set_pairs(const Population& population);
  void pairs_at_zero(Gradient<State>& gradient, const Workers& workers) const;
  void evaluate_at_zero(Gradient<State>* gradient, Observation* observation, const Workers& workers) const;
  void walk(const State& w, const Columns& columns, Gradient<State>* gradient, Observation* observation,
            const Workers& workers, const RandomRounding* rounding) const;
  /// Size of the entries beside which a tie is one; the right logit's own is known.
  double tie_size(const State& w) const {
    return couples_columns_ || query_ || answer_ ? w.entries.cwiseAbs().maxCoeff() : 0;
  }
  ColumnOdds<double> odds_of_query(const QueryAnswers<double>& law, Eigen::Ref<Vector> logits,
                                   double tie) const;
  int exponent_of(const Columns& columns) const;
  double weight_of(const Columns& columns, Index i) const;
  PackedWeights packed(const State& w, const Workers& workers) const;
  void logits_of(const PackedWeights& packed_w, const State& w, const Columns& columns, Index begin,
                 Eigen::Ref<Matrix> tile) const;
  void push(const Eigen::Ref<const Matrix>& tile, Eigen::Ref<Matrix> pushed) const;
  void observe(Index l, const ColumnOdds<double>& odds, const RightLogits<double>& right,
               const Vector& logits, const Eigen::Ref<const Vector>& ratios, double tie,
               Observation& observation) const;
  int to_residual(Eigen::Ref<Vector> ratios, const ColumnOdds<double>& odds,
                  const std::vector<double>& softmax, const Columns& columns, Index i, int exponent) const;
  int to_sampled_residual(Eigen::Ref<Vector> logits, const Columns& columns, Index i, int exponent,
                          double tie) const;
  void observe_means(const State& w, Observation& observation) const;
  void to_coordinates_of_w(const Matrix& pushed, const Columns& columns, Gradient<State>& gradient,
                           const Workers& workers) const;

  std::vector<Cell> cells_;
  std::vector<QueryAnswers<double>> law_;  // of every query
  std::vector<std::size_t> first_answer_ =
      {};  // of every query among the answers of all; empty for the identity
  Index answers_;
  double label_noise_;
  Vector noise_;                   // α b of every answer; where all are alike empty
  Background<double> background_;  // the same
  bool keeps_task_, removes_recovered_, couples_columns_;
  std::shared_ptr<const Matrix> query_, answer_;
  PackedFactor<double> packed_answer_, packed_answer_transposed_;
  std::optional<SingleFactors> single_;
};

}  // namespace rarefact
