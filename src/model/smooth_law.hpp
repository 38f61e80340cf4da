#pragma once

/// Spectra and answer laws that are smooth functions of the rank, and the nodes that represent them.

#include <functional>
#include <utility>

#include "model/quadrature_rule.hpp"

namespace rarefact {

/// A spectrum whose K classes are all distinct and whose frequency is a smooth function of ln k: p_k =
/// weight(k) / Σ_j weight(j), k = 1..K, weight(1) = 1, descending. The function is defined for every real
/// rank in [1, K], so that a few nodes can represent all classes. Under an answer law the classes are
/// answers, and class k is shared by r_k queries.
struct SmoothLaw {
  double classes = 0;                    ///< K in [2, 1e300]
  std::function<double(double)> weight;  ///< of a real rank
  /// r as a function of a real rank, smooth and at least 1; empty if every class is one query with its own
  /// answer.
  std::function<double(double)> fan_in = {};

  double queries(double rank) const { return fan_in ? fan_in(rank) : 1; }
  /// The probability of one query; `total` is the weight of all classes.
  double probability(double rank, double total) const { return weight(rank) / total / queries(rank); }
  /// True if all classes are equally likely (exponent 0).
  bool uniform() const { return weight(classes) == 1; }
};

/// The law of queries with probabilities ∝ p^τ, with the same fan-ins; its weights may ascend.
SmoothLaw with_power(const SmoothLaw& law, double exponent);

/// Σ_k weight(k) over the first `ranks` classes of the law, to a few units in the last place.
double weight_of_ranks(const SmoothLaw& law, double ranks);
/// Σ_k r_k over them.
double queries_of_ranks(const SmoothLaw& law, double ranks);

/// The least k with Σ_{j<=k} p_j >= mass, in 1..K: the class at a percentile of the probability mass.
double rank_at_mass(const SmoothLaw& law, double mass);
/// The rank of the answer of a query, queries in the order of the answers.
double answer_of_query(const SmoothLaw& law, double query);
/// The least and the largest probability of a query; if fan-ins differ, over the nodes of the usual panel
/// rule.
std::pair<double, double> query_probabilities(const SmoothLaw& law);
/// True if p_k/r_k does not increase with the rank, up to rounding.
bool likeliest_first(const SmoothLaw& law);

}  // namespace rarefact
