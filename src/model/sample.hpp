#pragma once

/// Query-answer pairs drawn from the population, as the counts that a gradient needs.

#include <vector>

#include "core/types.hpp"

namespace rarefact {

/// B pairs (query, answer), query ~ p and answer ~ π(.|query), counted. Column l of the gradient in the task
/// basis is
///
///     G_kl = (n_l/B) p̂(k|l) - n_kl/B,    n_l pairs with query l, n_kl of them with answer k,
///
/// and columns whose query was not drawn are zero. Sizes are those of the distinct queries and pairs, never
/// K.
struct Sample {
  std::vector<Index> query;    ///< distinct queries drawn, ascending
  std::vector<double> weight;  ///< n_l/B of each
  std::vector<std::size_t>
      begin;                  ///< where the answers of each query begin in `answer`; one more than queries
  std::vector<Index> answer;  ///< distinct answers of a query, ascending
  std::vector<double> answer_weight;  ///< n_kl/B of each
};

}  // namespace rarefact
