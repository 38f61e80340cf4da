#pragma once

/// Columns of logits as few values, each shared by several answers, under any law of the answers.

#include <vector>

#include "algebra/column_structure.hpp"
#include "model/population.hpp"
#include "model/query_answers.hpp"

namespace rarefact {

/// The laws of all columns of a population: one column a query type, in their order (query_types). Answers of a query
/// share a value where both are right or neither is and their π is equal. Value 0 of a column is its own, i the i-th in
/// the middle, and the last one, where there is any, of answers that no query of the unit has.
struct ColumnLaws {
  SharedColumns structure;
  std::vector<QueryAnswers<double>> query;  ///< over the values of a column
  double other = 0;                         ///< α/K

  /// The value of an answer that the query of column l has.
  Index value_of(Index l, const AnswerShare& share, double label_noise) const;
};

/// Precondition: the population has units, and noise is uniform.
ColumnLaws column_laws(const Population& population);

/// Whether every query has one answer: then columns are two numbers.
bool deterministic(const Units& units);

}  // namespace rarefact
