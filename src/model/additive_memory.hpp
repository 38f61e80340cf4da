#pragma once

/// The memory of queries that are a subject and a relation, their embedding the sum of two, in numbers that do not grow
/// with the subjects and relations of a group: O((GM)²) a step for G groups of subjects and M of relations.
///
/// A query (s, r) of groups (g, h) sees four kinds of answers (s', r') of groups (g', h'): neither is its own, the subject
/// is, the relation is, both are. Its column of logits holds one of each, with how many there are:
///
///   B_S + B_R   G M    O_S + B_R   M    B_S + O_R   G    O_S + O_R   1, the right one
///
/// O own and B other entries of the subject's and of the relation's column of W.

#include "algebra/additive_matrix.hpp"
#include "core/parallel.hpp"
#include "model/answer_law.hpp"
#include "model/column_loss.hpp"
#include "model/gradient.hpp"
#include "model/observation.hpp"
#include "model/random_rounding.hpp"

namespace rarefact {

class AdditiveMemory {
 public:
  using State = AdditiveMatrix;

  /// Preconditions: the law is additive, 0 <= label_noise < 1. With `removes_recovered` columns of G whose right logit is
  /// strictly the largest are zero.
  AdditiveMemory(const AnswerLaw& law, double label_noise, NoiseAnswers noise, bool removes_recovered);

  State zero() const { return {subjects_, relations_}; }
  /// One a kind of queries, in the order of the law's units.
  std::vector<Cell> cells() const { return cells_; }
  void evaluate(const State& w, Gradient<State>* gradient, Observation* observation, const Workers& workers,
                const RandomRounding* rounding = nullptr) const;
  /// Embeddings are the identity, or have dropped out; ∇L is what rules see.
  State to_ambient(const State& x) const { return x; }
  CountedLogits logits(const State& x) const;
  std::vector<double> right_logits(const State& x, const Workers& workers) const;
  /// ‖uᵀX‖ for the vector u of equal entries: uᵀ∇L = 0 at every W.
  double left_null_part(const State& x, const Workers& workers) const;

 private:
  Index subjects() const { return static_cast<Index>(subjects_.size()); }
  Index relations() const { return static_cast<Index>(relations_.size()); }
  // Where a kind of answers stands in a column.
  Index neither(Index g, Index h) const { return g * relations() + h; }
  Index own_subject(Index h) const { return subjects() * relations() + h; }
  Index own_relation(Index g) const { return own_subject(relations()) + g; }
  Index right() const { return own_relation(subjects()); }
  /// body(cell, g, h)
  template <class Body>
  void for_cells(const Body& body) const {
    for (Index g = 0; g < subjects(); ++g) {
      for (Index h = 0; h < relations(); ++h) body(static_cast<std::size_t>(neither(g, h)), g, h);
    }
  }
  Vector column_of(const State& x, Index g, Index h) const;
  void observe(std::size_t cell, const ColumnOdds<double>& odds, const Vector& logits,
               const Eigen::Ref<const Vector>& ratios, double tie, Observation& observation) const;
  void observe_means(const State& w, Observation& observation) const;
  State sum_of(const Matrix& columns) const;

  std::vector<double> subjects_, relations_;  // how many of each group
  double answers_, label_noise_;
  int exponent_;  // of the likeliest query
  bool removes_recovered_;
  std::vector<Cell> cells_;
  // Of every cell:
  std::vector<Vector> count_;              // how many answers an entry of its column stands for
  std::vector<std::vector<Index>> apart_;  // entries that stand for none, and the right one
  std::vector<Vector> noise_;              // α b of an answer; where all are alike empty
  std::vector<Background<double>> background_;
  std::vector<QueryAnswers<double>> law_;
};

}  // namespace rarefact
