#pragma once

/// The population: queries, their probabilities and their answer law; and samples of it, as the counts that a
/// gradient needs.

#include "model/pairs.hpp"
#include "model/spectrum.hpp"

namespace rarefact {

/// The distribution of the answers that label noise draws: uniform, or by the frequency with which queries
/// have them.
enum class NoiseAnswers { uniform, frequency };

/// The population, a view of its parts. Without components answer l is right for query l, and there are as many
/// answers as queries. π = (1-α) π₀ + α b, b_k = 1/K or Σ_l p_l π₀(k|l).
struct Population {
  const ClassGroups&
      queries;  ///< in groups of equal probability; with components one group per query type, most likely first
  double label_noise = 0;                  ///< α in [0, 1)
  const Components* components = nullptr;  ///< null: the identity
  NoiseAnswers noise = NoiseAnswers::uniform;
  SamplingLaw sampling = {};                  ///< of training
  const AttributeGrid* attributes = nullptr;  ///< of queries that are sums of attributes

  /// The same with every query written out, and the group of each; for memories that store every query.
  const Pairs* pairs = nullptr;
  const std::vector<Index>* query_group = nullptr;
  bool removes_recovered = false;  ///< queries whose right logit is strictly the largest have no gradient

  double answers() const { return components ? components->answers() : queries.total(); }  ///< K
};

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
      begin;                  ///< begin of the answers of each query in `answer`; one entry more than queries
  std::vector<Index> answer;  ///< distinct answers of a query, ascending
  std::vector<double> answer_weight;  ///< n_kl/B of each
  std::uint64_t step = 0;             ///< the step, for further random numbers of this sample
  std::int64_t draws = 0;             ///< B
};

}  // namespace rarefact
