#pragma once

/// Least squares (model/least_squares.hpp) on the matrices of a memory, which brings the embeddings:
///
///     L(W) - L(W°) = ½ ⟨Δ, Δ Σ⟩,   ∇L = Δ Σ,   Δ = W - W°,   Σ = E(x xᵀ) = μ² E P Eᵀ + σ² I
///
/// W° = Σ_yx Σ⁺ is the minimiser, Σ_yx = μ Ẽ Π P Eᵀ of facts; of Gaussian queries it is W*. Vector and bilinear
/// measurements differ in their samples alone. Nothing is a difference of losses.
///
/// Cells show, as their loss,
///     facts      L_l = ½ E(‖y - W x‖² | l) = ½ (‖ȳ_l - μ W E_l‖² + E(‖y - ȳ_l‖² | l) + σ² ‖W‖²),   ȳ_l = E(y | l)
///     gaussian   ½ ‖Δ E_l‖², so that with σ = 0 the mean by probability is L - L*
/// and their coefficient (Ẽᵀ W E)_ll.

#include <optional>

#include "algebra/operations.hpp"
#include "model/column_memory.hpp"
#include "model/dense_memory.hpp"
#include "model/least_squares.hpp"
#include "model/symmetric_memory.hpp"

namespace rarefact {

/// X diag(v), a number for every column, or type of columns.
DenseMatrix scaled_columns(DenseMatrix x, const Vector& v);
SymmetricMatrix<double> scaled_columns(SymmetricMatrix<double> x, const Vector& v);
ColumnMatrix scaled_columns(ColumnMatrix x, const Vector& v);

/// Whether E and Ẽ are the identity; X E.
inline bool without_embeddings(const DenseMemory& base) {
  return !base.query() && !base.answer();
}
inline bool without_embeddings(const SymmetricMemory<double>& base) {
  return base.without_embeddings();
}
inline bool without_embeddings(const ColumnMemory&) {
  return true;
}
template <class Base>
typename Base::State with_queries(const Base& base, const typename Base::State& x, const Workers& workers) {
  if constexpr (std::is_same_v<Base, ColumnMemory>)
    return x;
  else
    return base.with_queries(x, workers);
}

/// Of the gradient in the coordinates of W. Where the embeddings are the identity the task basis is the same; where they
/// are not it is theirs if they are orthonormal, and nobody's else.
template <class Base>
Gradient<typename Base::State> in_both_bases(const Base& base, typename Base::State image) {
  Gradient<typename Base::State> gradient{std::move(image), {}};
  if (without_embeddings(base)) return gradient;
  gradient.image = std::move(gradient.task);
  gradient.task = base.logits(*gradient.image);
  return gradient;
}

/// What of the data does not depend on W.
template <class M>
struct SquaresProblem {
  LeastSquares data;
  M minimiser;                   ///< W°
  Vector curvature = {};         ///< the diagonal of Σ where the queries are the identity; else empty
  std::optional<M> second = {};  ///< Σ otherwise
  M mean_answers;                ///< of facts ȳ_l, column by column; else W* E
  Vector spread = {};            ///< of facts E(‖y - ȳ_l‖² | l)
  double noise = 0;              ///< of Gaussian queries the loss that answer_noise leaves
  std::uint64_t seed = 0;        ///< of noisy queries and of Gaussian ones

  /// X Σ.
  M times_second(M x, const Workers& workers) const;
  /// X (Σ + λ)⁺.
  M over_second(const M& x, double damping, const Workers& workers) const;
};

/// Of a memory of the same law and embeddings. `outputs` is d_out. Preconditions: those of the engines that take least squares.
template <class Base>
SquaresProblem<typename Base::State> squares_problem(const Base& base, const LeastSquares& data,
                                                     double label_noise, std::uint64_t seed, double outputs,
                                                     const Workers& workers);

/// The gradient (W X - Y) diag(weight) Xᵀ of drawn queries X and answers Y.
Gradient<DenseMatrix> squares_sample(const DenseMemory& base, const SquaresProblem<DenseMatrix>& problem,
                                     const DenseMatrix& w, const Sample& sample, const Workers& workers);
/// Of facts without noise, whose columns are those drawn.
Gradient<ColumnMatrix> squares_sample(const ColumnMemory& base, const SquaresProblem<ColumnMatrix>& problem,
                                      const ColumnMatrix& w, const Sample& sample, const Workers& workers);

/// What the training loop asks of a memory.
template <class Base>
class SquaresMemory {
 public:
  using State = typename Base::State;

  SquaresMemory(Base base, SquaresProblem<State> problem)
      : base_(std::move(base)), problem_(std::move(problem)) {}

  State zero() const { return base_.zero(); }
  std::vector<Cell> cells() const { return base_.cells(); }
  void evaluate(const State& w, Gradient<State>* gradient, Observation* observation, const Workers& workers,
                const RandomRounding* = nullptr) const {
    State off = from_minimiser(w);
    if (!observation) {
      if (gradient) *gradient = in_both_bases(base_, problem_.times_second(std::move(off), workers));
      return;
    }
    State image = problem_.times_second(off, workers);
    observe(w, off, image, workers, *observation);
    if (gradient) *gradient = in_both_bases(base_, std::move(image));
  }
  void sampled_gradient(const State& w, const Sample& sample, Gradient<State>& gradient,
                        const Workers& workers, const RandomRounding* = nullptr) const requires
      requires(const Base& b, const SquaresProblem<State>& p) {
    squares_sample(b, p, w, sample, workers);
  }
  { gradient = squares_sample(base_, problem_, w, sample, workers); }
  /// L(W°).
  double least_loss(const Workers& workers) const {
    if (problem_.data.gaussian()) return problem_.noise;
    Observation seen;
    evaluate(problem_.minimiser, nullptr, &seen, workers);
    const std::vector<Cell> all = cells();
    double sum = 0;
    for (std::size_t c = 0; c < all.size(); ++c)
      sum += all[c].classes * all[c].probability * seen.excess_loss[c];
    return sum;
  }
  /// Along W ← W - x D the loss is a parabola: the remainder is 0.
  Expansion<double> expansion(const State& w, const State& direction, double, const Observation&,
                              const Workers& workers) const {
    const State image = problem_.times_second(direction, workers);
    const double norm = frobenius_norm(direction);
    return {
        .slope = inner(from_minimiser(w), image), .variance = inner(direction, image), .size = norm * norm};
  }
  /// H[X] = X Σ, the same at every W.
  std::function<Curvature<State>(const State&, const Sample*)> curvatures(const Workers& workers) const {
    return [this, &workers](const State&, const Sample*) {
      Curvature<State> curvature;
      curvature.product = [this, &workers](const State& x) { return problem_.times_second(x, workers); };
      curvature.solve_at_zero = curvature.solve = [this, &workers](const State& x, double damping) {
        return problem_.over_second(x, damping, workers);
      };
      return curvature;
    };
  }
  SecondMoment<State> second_moment_root() const { return base_.second_moment_root(); }
  State to_ambient(const State& x) const { return base_.to_ambient(x); }
  State logits(const State& w) const { return base_.logits(w); }
  std::vector<double> right_logits(const State& x, const Workers& workers) const {
    return base_.right_logits(x, workers);
  }
  /// No direction is in no gradient.
  double left_null_part(const State&, const Workers&) const {
    return std::numeric_limits<double>::quiet_NaN();
  }

 private:
  State from_minimiser(State w) const {
    combine(w, 1, -1, problem_.minimiser);
    return w;
  }
  void observe(const State& w, const State& off, const State& image, const Workers& workers,
               Observation& seen) const {
    const bool gaussian = problem_.data.gaussian();
    State columns = with_queries(base_, gaussian ? off : w, workers);
    if (!gaussian) combine(columns, -problem_.data.query_scale, 1, problem_.mean_answers);
    const Vector length = measured(columns, Side::columns, Measured::euclidean);
    const double norm = problem_.data.query_noise * frobenius_norm(w);
    seen.total_excess_loss = inner(off, image) / 2;
    seen.excess_loss.resize(static_cast<std::size_t>(length.size()));
    for (Index l = 0; l < length.size(); ++l)
      seen.excess_loss[l] = (length(l) * length(l) + (gaussian ? 0 : problem_.spread(l) + norm * norm)) / 2;
    seen.coefficient = base_.right_logits(w, workers);
  }

  Base base_;
  SquaresProblem<State> problem_;
};

}  // namespace rarefact
