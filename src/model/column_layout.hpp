#pragma once

/// The associative memory on column matrices: identity embeddings (or the task basis), where equally likely
/// answers of a query have equal logits.

#include "algebra/column_matrix.hpp"
#include "model/answer_law.hpp"
#include "model/query_answers.hpp"
#include "model/softmax_memory.hpp"

namespace rarefact {

/// The laws of all columns of a population: one column for each query type, in their order (query_types).
/// Answers of a query share a value if their π are equal and both or neither are right. Value 0 of a column
/// is `right`, value i the i-th shared number, and the last, if present, that of answers that the query never
/// has.
struct ColumnLaws {
  SharedColumns structure;
  std::vector<QueryAnswers<double>> query;  ///< over the values of a column
  double wrong = 0;                         ///< α/K

  /// The index of the value of an answer of the query of column l.
  Index value_of(Index l, const AnswerShare& share, double label_noise) const;
};

/// Precondition: the population has components, and noise is uniform.
ColumnLaws column_laws(const Population& population);

/// S = W, and a column is its values (ColumnLaws). Where every query has one answer these are two numbers, and the
/// column is the margin m = right - wrong, λ = ln(K-1) - m, and
///   G(l,l) = -p_l (error - α(K-1)/K),   G(k,l) = -G(l,l)/(K-1)
/// for its right answer and the others. O(M) per step for M numbers; tiles of columns are distributed over
/// the workers.
class ColumnLayout {
 public:
  using State = ColumnMatrix;
  static constexpr MemoryKind kind = MemoryKind::columns;

  /// One column for each group of equally likely queries. Preconditions: K >= 2; noise is uniform.
  explicit ColumnLayout(const Population& population);

  /// One column for each group of equally likely queries, each with one of `answers` answers.
  ColumnLayout(const ClassGroups& queries, double answers, double label_noise,
               const SamplingLaw& sampling = {});

  /// One column for each query, group by group or, if the population has pairs, in their order, because
  /// samples distinguish equally likely queries. Preconditions: no label noise (drawn wrong answers would
  /// differ from others); whole group sizes; one answer per query.
  static ColumnLayout of_classes(const Population& population);

  /// For least squares, a matrix of one row: column l is a multiple of the mean answer of query l.
  static ColumnLayout along_answers(const ClassGroups& queries, const AlikeAnswers& answers,
                                    const SamplingLaw& sampling);
  /// For least squares, one column for all queries: answers of these ranks, each of which represents `count` answers.
  static ColumnLayout one_column(double queries, const AlikeAnswers& answers, const std::vector<double>& rank,
                                 const std::vector<double>& count);

  double answers() const { return classes_; }  ///< K
  double label_noise() const { return label_noise_; }
  State zero() const { return ColumnMatrix(laws_.structure); }
  std::vector<Cell> cells() const;
  /// The second moment of the queries in the task basis: diagonal, N x N.
  SecondMoment<State> second_moment_root() const;
  /// The training probability of one query of every column; answers of a column are not distinguished.
  Vector probabilities(Side side) const;
  /// Ẽᵀ W E = W, with every column stored.
  State logits(const State& w) const { return with_all_columns(w); }
  State to_ambient(const State& x) const { return x; }
  /// Π: π(k|l) of every answer and query.
  State laws() const;
  State of_answers(const State& x) const { return x; }
  State by_queries(const State& x) const { return x; }
  State with_queries(const State& x, const Workers&) const { return x; }
  bool without_embeddings() const { return true; }
  bool identity_queries() const { return true; }
  /// The entry of the most likely right answer of every cell.
  std::vector<double> right_logits(const State& x, const Workers& workers) const;
  /// ‖uᵀX‖ for the unit vector u with uᵀ∇L = 0 at every W, that of all ones.
  double left_null_part(const State& x, const Workers& workers) const;

 protected:
  class Pass;
  const QueryAnswers<double>& law(Index l) const { return pairs() ? one_answer_ : laws_.query[l]; }
  const std::vector<std::size_t>& first_answer() const { return share_begin_; }
  std::span<const Index> answers_at(Index l) const {
    return {share_value_.data() + share_begin_[l], share_begin_[l + 1] - share_begin_[l]};
  }
  Index columns() const { return scaled_training_.size(); }
  int exponent() const { return exponent_; }
  double count(Index l) const { return laws_.structure->count[l]; }
  double probability(Index l) const { return probability_[l]; }
  double training(Index l) const { return std::ldexp(scaled_training_(l), exponent_); }
  static bool mixes_columns() { return false; }
  static bool single() { return false; }
  bool removes_recovered() const { return removes_recovered_; }
  std::function<void(Index, Eigen::Ref<Vector>)> logits_of(const State& w, const Observation&) const {
    return [this, &w](Index l, Eigen::Ref<Vector> into) { put_logits(w, l, into); };
  }

  /// True if columns are two numbers; many columns are then computed together instead of gathered one by one.
  bool pairs() const { return laws_.structure->two_numbers(); }
  void pairs_observation(const State& w, Observation& observation, const Workers& workers,
                         const RandomRounding* rounding, const Vector* sizes) const;
  /// The gradient of the population or, if not null, of a sample (see drawn_answers):
  ///   G(l,l) = -(n_l/B) error,   G(k,l) = -G(l,l)/(K-1),
  /// stored for the queries drawn, at a cost proportional to their number. W must store every column.
  /// Precondition for samples: made by of_classes.
  void pairs_gradient(const State& w, const Sample* sample, Gradient<State>& gradient, const Workers& workers,
                      const RandomRounding* rounding, const Vector* sizes) const;

 private:
  static constexpr Index column_tile = 4096;  // columns; a few cache-resident arrays

  ColumnLayout(const ClassGroups& queries, ColumnLaws laws, double answers, double label_noise,
               bool removes_recovered, const SamplingLaw& sampling);

  Index shared_count(Index l) const;
  double others(Index l) const;
  Index size_of(Index l) const { return 1 + shared_count(l) + (others(l) > 0 ? 1 : 0); }
  void put_logits(const State& s, Index l, Eigen::Ref<Vector> into) const;
  void put_times(Index l, Eigen::Ref<Vector> into) const;
  void take_values(const Eigen::Ref<const Vector>& values, Index l, State& into) const;
  void set_shares(const Components& components);

  ColumnLaws laws_;                  // only the structure, if columns are two numbers
  QueryAnswers<double> one_answer_;  // for columns of two numbers
  std::vector<Index> group_;         // of every column, if each is one query
  std::vector<double> probability_;
  Vector scaled_training_;  // in training, / 2^exponent_ exactly
  // For laws other than the identity, for every answer of a column's query: its type, and the place of its
  // number.
  std::vector<std::size_t> share_begin_, share_type_;
  std::vector<Index> share_value_;
  std::vector<double> multiplicity_;
  std::size_t answer_types_ = 0;
  double classes_, label_noise_, right_part_ = 1;  // of right answers in the entries `right`
  bool removes_recovered_;
  int exponent_;
};

using ColumnMemory = SoftmaxMemory<ColumnLayout>;
extern template class SoftmaxMemory<ColumnLayout>;

}  // namespace rarefact
