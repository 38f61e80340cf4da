#pragma once

/// The associative memory on column matrices: identity embeddings (or the task basis), answers of a query that are
/// equally likely alike.

#include "algebra/column_matrix.hpp"
#include "core/parallel.hpp"
#include "model/column_values.hpp"
#include "model/curvature.hpp"
#include "model/gradient.hpp"
#include "model/observation.hpp"
#include "model/population.hpp"
#include "model/random_rounding.hpp"
#include "model/second_moment.hpp"

namespace rarefact {

/// S = W. Where every query has one answer a column is the margin m = own - other, λ = ln(K-1) - m, and
///   G(l,l) = -p_l (error - α(K-1)/K),   G(k,l) = -G(l,l)/(K-1)
/// for its right answer and the others; otherwise see column_values.hpp. O(M) a step for M numbers; tiles of columns are
/// spread over the workers.
class ColumnMemory {
 public:
  using State = ColumnMatrix;

  /// One column for each group of equally likely queries. With `removes_recovered` the gradient has zero
  /// columns where the advantage is above 0. Preconditions: K >= 2; noise is uniform.
  explicit ColumnMemory(const Population& population, bool removes_recovered = false);

  /// One column for each group of equally likely queries, each with one of `answers` answers.
  ColumnMemory(const ClassGroups& queries, double answers, double label_noise);

  /// One column for each query, group by group or, where the population has pairs, in their order: samples tell equally
  /// likely ones apart. No label noise, as the wrong answers that it draws differ from those it does not.
  /// Preconditions: whole group sizes; one answer a query.
  static ColumnMemory of_classes(const Population& population, bool removes_recovered = false);

  double answers() const { return classes_; }  ///< K
  double label_noise() const { return label_noise_; }
  State zero() const { return ColumnMatrix(laws_.structure); }
  std::vector<Cell> cells() const;
  /// Gradient and observation at W; either may be null.
  void evaluate(const State& w, Gradient<State>* gradient, Observation* observation, const Workers& workers,
                const RandomRounding* rounding = nullptr) const;
  /// The gradient of a sample whose answers are right ones (see there):
  ///   G(l,l) = -(n_l/B) error,   G(k,l) = -G(l,l)/(K-1),
  /// which holds the columns of the queries drawn and costs as much as they. W must hold every column.
  /// Precondition: made by of_classes.
  void sampled_gradient(const State& w, const Sample& sample, Gradient<State>& gradient,
                        const Workers& workers, const RandomRounding* rounding = nullptr) const;
  /// Of the queries in the task basis: diagonal, N x N.
  SecondMoment<State> second_moment_root() const;
  /// Ẽᵀ W E = W, with every column held.
  State logits(const State& w) const { return all_held(w); }
  /// Ẽ X Eᵀ = X.
  State to_ambient(const State& x) const { return x; }
  /// The entry of the likeliest right answer of every cell.
  std::vector<double> right_logits(const State& x, const Workers& workers) const;
  /// The population loss along W ← W - x D, from the W that `seen` is of.
  Expansion<double> expansion(const State& w, const State& direction, double x, const Observation& seen,
                              const Workers& workers) const;
  /// ‖uᵀX‖ for the unit vector u with uᵀ∇L = 0 at every W, that of all ones.
  double left_null_part(const State& x, const Workers& workers) const;

 private:
  static constexpr Index column_tile = 4096;  // columns; a few cache-resident arrays

  ColumnMemory(const ClassGroups& queries, ColumnLaws laws, double answers, double label_noise,
               bool removes_recovered);

  struct Values;
  Values values_of(const State& s, Index l) const;
  void put(const Eigen::Map<Vector>& column, Index l, State& x) const;
  void set_shares(const Units& units);
  QueryAnswers<double> one_answer() const;
  void observe_answers(const State& s, double logit_size, Observation& seen) const;
  void observe_means(const State& s, const std::vector<double>& log_sums, Observation& seen) const;
  void evaluate_at(const State& s, Gradient<State>* gradient, Observation* observation,
                   const Workers& workers, const RandomRounding* rounding) const;
  void evaluate_values(const State& s, Gradient<State>* gradient, Observation* observation,
                       const Workers& workers, const RandomRounding* rounding) const;

  ColumnLaws laws_;            // the structure alone, where columns are two numbers
  std::vector<Index> group_;   // of every column, where each is one query
  Vector scaled_probability_;  // p / 2^exponent_, exactly
  // Of laws other than the identity, for every answer that a column's query has: the answer type, and where its number is.
  std::vector<std::size_t> share_begin_, share_type_;
  std::vector<Index> share_value_;
  std::vector<double> twins_;
  std::size_t answer_types_ = 0;
  double classes_, label_noise_;
  bool removes_recovered_;
  int exponent_;
};

}  // namespace rarefact
