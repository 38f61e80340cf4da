#pragma once

/// One column of logits as few values, each shared by several answers, and what a step sees of it under any law of its
/// answers. Nothing that matters is a difference of large numbers: errors of e^-1000 keep their digits.

#include <span>
#include <vector>

#include "algebra/column_structure.hpp"
#include "model/population.hpp"

namespace rarefact {

/// How many answers share each value of a column, and π(k|l) of one of them.
struct ColumnLaw {
  double own_times = 1, own_law = 1;      ///< of the likeliest right answers
  double other_times = 0, other_law = 0;  ///< of answers that no query of the unit has
  std::span<const double> times, law;     ///< of the values in the middle
  std::size_t right = 0;                  ///< how many of these, the first ones, are right answers'
  double right_mass = 1, wrong_mass = 0;  ///< π(R|l) and 1 - π(R|l)
};

/// The laws of all columns of a population: one column a query type, in their order (query_types). Answers of a query
/// share a value where both are right or neither is and their π is equal.
struct ColumnLaws {
  SharedColumns structure;
  std::vector<double> own, right_mass, wrong_mass;  ///< of each column
  std::vector<std::size_t> right;
  std::vector<double> middle;  ///< of each value in the middle
  double other = 0;            ///< α/K

  ColumnLaw of(Index l) const;
  /// Of an answer that the query of column l has: 0 for own, i + 1 for the i-th value in the middle.
  Index value_of(Index l, const AnswerShare& share, double label_noise) const;
};

/// Precondition: the population has units, and noise is uniform.
ColumnLaws column_laws(const Population& population);

/// Whether every query has one answer: then columns are two numbers.
bool deterministic(const Units& units);

/// The softmax of a column, right and wrong answers apart.
struct ValueSoftmax {
  double right_peak, wrong_peak;  ///< the largest logits; -∞ where there is no wrong answer
  double right_sum, wrong_sum;    ///< Σ e^(s - peak)

  double advantage() const { return right_peak - wrong_peak; }
  double log_odds() const;  ///< ln(wrong/right)
};

/// `middle`: as many logits as the law has values there.
ValueSoftmax softmax_of(const ColumnLaw& law, double own, double other, const double* middle);

/// KL(π || p̂), term by term.
double excess_loss(const ColumnLaw& law, const ValueSoftmax& softmax, double own, double other,
                   const double* middle);

/// Turns logits into p (p̂ - π) / e^shift. A shift other than 0 needs a law without wrong answers and middle.
void to_residual(const ColumnLaw& law, const ValueSoftmax& softmax, double p, double shift, double& own,
                 double& other, double* middle);

}  // namespace rarefact
