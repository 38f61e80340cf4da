#pragma once

/// Columns of logits as few values, each shared by several answers, under any answer law.

#include <vector>

#include "algebra/column_structure.hpp"
#include "model/population.hpp"
#include "model/query_answers.hpp"

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

/// True if every query has a single answer, so that columns are two numbers.
bool deterministic(const Components& components);

}  // namespace rarefact
