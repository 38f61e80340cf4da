#pragma once

/// Spectra and laws of answers that are smooth functions of the rank, and the nodes that stand for them.

#include <functional>
#include <memory>
#include <utility>

#include "model/quadrature_rule.hpp"

namespace rarefact {

/// A query of a smooth law, by the rank of its answer and its place among the queries of that; both real. Where every
/// query has an answer of its own the rank is its own.
struct QueryAt {
  double rank = 1, place = 1;
};

/// A spectrum whose K classes are all distinct and whose frequency is a smooth function of ln k:
/// p_k = weight(k) / Σ_j weight(j), k = 1..K, weight(1) = 1, descending. The function is meant for every real
/// rank in [1, K], which is what lets a few nodes stand for all classes. Under a law of answers the classes are answers,
/// and class k is shared by r_k queries.
struct SmoothLaw {
  double classes = 0;                    ///< K in [2, 1e300]
  std::function<double(double)> weight;  ///< of a real rank
  /// r of a real rank, smooth and at least 1; empty where every class is one query, with an answer of its own.
  std::function<double(double)> fan_in = {};
  /// Where the queries of an answer differ, as those of dealt-out answers and of blocks do: the weight of one, smooth in ln rank and
  /// ln place and falling with both. All answers then have the same whole number of queries, and weight(k) = Σ_j query(k, j). Empty:
  /// those of an answer are alike.
  std::function<double(const QueryAt&)> query = {};
  /// The law of all queries, likeliest first, where they are dealt out to the answers in turn; else null.
  std::shared_ptr<const SmoothLaw> dealt = {};

  double queries(double rank) const { return fan_in ? fan_in(rank) : 1; }
  /// How many of them are alike.
  double twins(double rank) const { return query ? 1 : queries(rank); }
  /// Of one query; `total` is the weight of all classes.
  double probability(const QueryAt& at, double total) const {
    return query ? query(at) / total : weight(at.rank) / total / queries(at.rank);
  }
  /// All classes are equally likely after all (exponent 0).
  bool uniform() const { return weight(classes) == 1; }
};

/// Query x has the answer x mod `answers`, x from 0. Precondition: there are whole times as many queries.
SmoothLaw dealt_out(SmoothLaw queries, double answers);
/// `block` consecutive classes are one, of so many queries that differ.
SmoothLaw in_blocks(const SmoothLaw& law, Index block);

/// Nodes of the queries of a law: of their answers, and of the places in each answer's queries where these differ.
struct QueryNodes {
  QuadratureRule ranks, places;

  /// Nodes of answer i are i·places + c.
  std::size_t size() const { return ranks.size() * places.size(); }
  bool exact() const { return ranks.exact && places.exact; }
  QueryAt at(std::size_t i, std::size_t c) const { return {ranks.rank[i], places.rank[c]}; }
  /// How many queries of one answer the node stands for.
  double twins(const SmoothLaw& law, std::size_t i, std::size_t c) const {
    return law.query ? places.count[c] : law.queries(ranks.rank[i]);
  }
};

/// By rules that `rule` makes for so many items.
QueryNodes query_nodes(const SmoothLaw& law, const std::function<QuadratureRule(double)>& rule);

/// Σ_k weight(k) over the first `ranks` classes of the law, to a few units in the last place.
double weight_of_ranks(const SmoothLaw& law, double ranks);
/// Σ_k r_k over them.
double queries_of_ranks(const SmoothLaw& law, double ranks);

/// The least k with Σ_{j<=k} p_j >= mass, in 1..K: the class at a percentile of the probability mass.
double rank_at_mass(const SmoothLaw& law, double mass);
/// The query of this rank, in the order of the answers, or in which they are dealt out.
QueryAt query_at(const SmoothLaw& law, double query);
/// The least and the largest probability of a query: of fan-ins that differ those at the nodes of the usual panel rule.
std::pair<double, double> query_probabilities(const SmoothLaw& law);
/// Whether p_k/r_k never rises with the rank, but for rounding. Of queries that differ: false.
bool likeliest_first(const SmoothLaw& law);

}  // namespace rarefact
