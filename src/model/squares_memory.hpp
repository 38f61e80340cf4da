#pragma once

/// Least squares (model/loss.hpp) on a layout, which has the embeddings:
///
///     L(W) - L(W°) = ½ ⟨Δ, Δ Σ⟩,   ∇L = Δ Σ,   Δ = W - W°,   Σ = E(x xᵀ) = μ² E P Eᵀ + σ² I
///
/// in training, and the same for what is measured. W° = Σ_yx Σ⁺ is the minimiser, with Σ_yx = μ Ẽ Π P Eᵀ for facts, Π the answer law; for Gaussian queries it is W*. Vector and
/// bilinear measurements differ only in their samples. Differences of losses are never taken.
///
/// The loss of a cell is
///     facts      L_l = ½ E(‖y - W x‖² | l) = ½ (‖ȳ_l - μ W E_l‖² + E(‖y - ȳ_l‖² | l) + σ² ‖W‖²),   ȳ_l = E(y | l)
///     gaussian   ½ ‖Δ E_l‖², so that with σ = 0 the mean by probability is L - L*
/// and its coefficient is (Ẽᵀ W E)_kl of its right answer k, the mean if there are several.

#include "algebra/operations.hpp"
#include "model/column_layout.hpp"
#include "model/dense_layout.hpp"
#include "model/loss.hpp"
#include "model/symmetric_layout.hpp"

namespace rarefact {

/// A Gradient from the gradient in the coordinates of W. With identity embeddings the task basis is the same;
/// other embeddings define one only if they are orthonormal.
template <class Layout>
Gradient<typename Layout::State> in_both_bases(const Layout& layout, typename Layout::State image) {
  Gradient<typename Layout::State> gradient{std::move(image), {}};
  if (layout.without_embeddings()) return gradient;
  gradient.image = std::move(gradient.task);
  gradient.task = layout.logits(*gradient.image);
  return gradient;
}

/// Quantities of the data that do not depend on W.
template <class M>
struct SquaresProblem {
  LeastSquares data;
  Vector mass;                   ///< the probability of every cell, all classes together
  M minimiser;                   ///< W°
  Vector second_diagonal = {};   ///< the diagonal of Σ if the queries are the identity; else empty
  std::optional<M> second = {};  ///< Σ otherwise
  M rest = {};                   ///< for facts μ W° E_l - ȳ_l, column by column
  Vector spread = {};            ///< for facts E(‖y - ȳ_l‖² | l)
  Vector sizes = {};             ///< the largest entry of every column of W° Σ
  double noise = 0;              ///< for Gaussian queries the least loss, caused by answer_noise
  std::uint64_t seed = 0;        ///< of the data: noisy and Gaussian queries

  /// X Σ.
  M times_second(M x, const Workers& workers) const;
  /// X (Σ + λ)⁺.
  M over_second(const M& x, double damping, const Workers& workers) const;
};

/// The problem for the population and the embeddings of a layout, its queries as likely as in training or, by the law
/// &Cell::probability, as in measures. `outputs` is d_out. Preconditions: those of the engines for least squares.
template <class Layout>
SquaresProblem<typename Layout::State> squares_problem(const Layout& layout, const LeastSquares& data,
                                                       const Seeds& seeds, double outputs,
                                                       const Workers& workers,
                                                       double Cell::*law = &Cell::training);

/// The gradient (W X - Y) diag(weight) Xᵀ of drawn queries X and answers Y.
Gradient<DenseMatrix> squares_sample(const DenseLayout& layout, const SquaresProblem<DenseMatrix>& problem,
                                     const DenseMatrix& w, const Sample& sample, const Workers& workers);
/// The same for facts without noise; it stores the drawn columns.
Gradient<ColumnMatrix> squares_sample(const ColumnLayout& layout, const SquaresProblem<ColumnMatrix>& problem,
                                      const ColumnMatrix& w, const Sample& sample, const Workers& workers);

template <class Layout, class M>
Gradient<M> squares_sample(const Layout&, const SquaresProblem<M>&, const M&, const Sample&, const Workers&) {
  throw std::logic_error("the gradient of a sample does not stay in this algebra");
}

/// The memory, as used by the training loop.
template <class Layout>
class SquaresMemory : Layout {
 public:
  using State = typename Layout::State;
  static constexpr MemoryKind kind = MemoryKind::least_squares;
  using Layout::by_queries, Layout::cells, Layout::logits, Layout::of_answers, Layout::probabilities,
      Layout::right_logits, Layout::second_moment_root, Layout::to_ambient, Layout::zero;

  /// `measured`: the problem of measures, if training has another.
  SquaresMemory(Layout layout, SquaresProblem<State> problem,
                std::optional<SquaresProblem<State>> measured = {})
      : Layout(std::move(layout)), problem_(std::move(problem)), measured_(std::move(measured)) {}

  const SquaresProblem<State>& problem() const { return problem_; }
  /// Nothing ties, so sizes of entries are not needed.
  void note_sizes(const State&, const State&, Vector&) const {}
  void evaluate(const State& w, Gradient<State>* gradient, Observation* observation, const Workers& workers,
                const RandomRounding* rounding = nullptr, const Vector* = nullptr) const {
    State off = off_minimiser(w, problem_);
    if (observation) observe(w, measured_ ? off_minimiser(w, *measured_) : off, workers, *observation);
    if (!gradient) return;
    State image = problem_.times_second(std::move(off), workers);
    if (rounding && !this->without_embeddings()) clear_some(image, *rounding);
    *gradient = in_both_bases(layout(), std::move(image));
  }
  void sampled_gradient(const State& w, const Sample& sample, Gradient<State>& gradient,
                        const Workers& workers, const RandomRounding*, const Vector*) const {
    gradient = squares_sample(layout(), problem_, w, sample, workers);
  }
  /// L(W°).
  double least_loss(const Workers& workers) const {
    const SquaresProblem<State>& problem = measured();
    if (problem.data.gaussian()) return problem.noise;
    Observation seen;
    evaluate(problem.minimiser, nullptr, &seen, workers);
    return problem.mass.dot(Eigen::Map<const Vector>(seen.excess_loss.data(), problem.mass.size()));
  }
  /// Along W ← W - x D the loss is a parabola: the remainder is 0.
  DirectionalTaylor<double> expansion(const State& w, const State& direction, double, const Observation&,
                                      const Workers& workers) const {
    const State image = measured().times_second(direction, workers);
    const double norm = frobenius_norm(direction);
    return {.slope = inner(off_minimiser(w, measured()), image),
            .variance = inner(direction, image),
            .size = norm * norm};
  }
  /// H[X] = X Σ, the same at every W.
  std::function<Hessian<State>(const State&, const Sample*)> hessians(const Workers& workers) const {
    return [this, &workers](const State&, const Sample*) {
      Hessian<State> hessian;
      hessian.product = [this, &workers](const State& x) { return problem_.times_second(x, workers); };
      hessian.solve_at_zero = hessian.solve = [this, &workers](const State& x, double damping) {
        return problem_.over_second(x, damping, workers);
      };
      return hessian;
    };
  }
  /// NaN, because gradients have no left null direction.
  double left_null_part(const State&, const Workers&) const {
    return std::numeric_limits<double>::quiet_NaN();
  }

 private:
  const Layout& layout() const { return *this; }
  const SquaresProblem<State>& measured() const { return measured_ ? *measured_ : problem_; }
  static State off_minimiser(State w, const SquaresProblem<State>& problem) {
    combine(w, 1, -1, problem.minimiser);
    return w;
  }
  /// Sets entries of ∇L to 0 whose sign changes under a random rounding of sums between embeddings, which are
  /// as large as those of W° Σ: they may be 0.
  void clear_some(State& image, const RandomRounding& rounding) const {
    constexpr double units = 8;
    State moved = image;
    rounding.differences(moved, units * problem_.sizes);
    map_in_place(image, moved, [](double x, double y) { return (x < 0) == (y < 0) ? x : 0; });
  }
  void observe(const State& w, const State& off, const Workers& workers, Observation& seen) const {
    const SquaresProblem<State>& problem = measured();
    const double scale = problem.data.query_scale;
    const auto squares = [](const State& x) -> Vector {
      return aggregate(x, Side::columns, Aggregate::euclidean).cwiseAbs2();
    };
    const auto noise_of = [&](const State& x) {
      const double norm = problem.data.query_noise * frobenius_norm(x);
      return norm * norm;
    };
    // Not as ⟨Δ, Δ Σ⟩, where the rarest classes would be lost in the rounding of the most frequent ones.
    State columns = this->with_queries(off, workers);
    Vector square = squares(columns);
    seen.total_excess_loss = (scale * scale * problem.mass.dot(square) + noise_of(off)) / 2;
    if (!problem.data.gaussian()) {
      combine(columns, scale, 1, problem.rest);
      square = (squares(columns) + problem.spread).array() + noise_of(w);
    }
    seen.excess_loss.resize(square.size());
    for (Index l = 0; l < square.size(); ++l) seen.excess_loss[l] = square(l) / 2;
    seen.coefficient = right_logits(w, workers);
  }

  SquaresProblem<State> problem_;
  std::optional<SquaresProblem<State>> measured_;
};

}  // namespace rarefact
