#pragma once

/// Connected components of queries and answers, which describe the law of many queries by few numbers.

#include <compare>
#include <vector>

#include "core/types.hpp"

namespace rarefact {

/// The share of one answer type among the answers of a query of the same component.
struct AnswerShare {
  Index type = 0;          ///< of the component's answer types
  double probability = 1;  ///< π₀ of ONE answer of that type; with multiplicities those of a query sum to 1
  bool right = true;       ///< whether it counts as a right answer
  auto operator<=>(const AnswerShare&) const = default;
};

/// r identical queries of a component.
struct QueryType {
  double multiplicity = 1;                ///< r
  double probability = 0;                 ///< of one of them
  std::vector<AnswerShare> answers = {};  ///< those with π₀ > 0, ascending by type
  auto operator<=>(const QueryType&) const = default;
};

/// n identical components. Queries of one type are identical in all of them. Except for label noise, a query
/// has answers only in its own component.
struct ComponentGroup {
  double count = 1;                         ///< n; a real number at a quadrature node
  std::vector<double> answer_multiplicity;  ///< t of every answer type: identical answers of a component
  std::vector<QueryType> queries;           ///< may be empty: the component has answers without queries
  bool operator==(const ComponentGroup&) const = default;
};

struct Components {
  std::vector<ComponentGroup> groups;

  double queries() const;  ///< N = Σ n r
  double answers() const;  ///< K = Σ n t
  bool operator==(const Components&) const = default;
};

/// q_k = Σ_l p_l π₀(k|l) of one answer of every type, in the order of the components.
template <class Real = double>
std::vector<Real> answer_frequencies(const Components& components) {
  std::vector<Real> all;
  for (const ComponentGroup& group : components.groups) {
    const std::size_t first = all.size();
    all.resize(first + group.answer_multiplicity.size(), Real(0));
    for (const QueryType& type : group.queries) {
      for (const AnswerShare& share : type.answers)
        all[first + static_cast<std::size_t>(share.type)] +=
            Real(type.multiplicity) * Real(type.probability) * Real(share.probability);
    }
  }
  return all;
}

/// A query type with its position.
struct TypeAt {
  const ComponentGroup& component;
  const QueryType& query;
  std::size_t number;        ///< of the type, counted over the components
  std::size_t first_answer;  ///< of the component's answer types, counted over the components
};

/// Every query type, most likely first, ties in the order of the components. Population::queries has its
/// groups in this order.
std::vector<TypeAt> query_types(const Components& components);

/// True if every query has a single answer, so that columns are two numbers.
bool deterministic(const Components& components);

}  // namespace rarefact
