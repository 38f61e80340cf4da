#pragma once

/// Queries and answers in units: the law of many queries in few numbers.

#include <compare>
#include <vector>

#include "core/types.hpp"

namespace rarefact {

/// One answer type as a query of the same unit sees it.
struct AnswerShare {
  Index type = 0;          ///< of the unit's answer types
  double probability = 1;  ///< π₀ of ONE answer of that type; those of a query sum to 1, twins counted
  bool right = true;       ///< whether it counts as a right answer
  auto operator<=>(const AnswerShare&) const = default;
};

/// r alike queries of a unit.
struct QueryType {
  double twins = 1;                       ///< r
  double probability = 0;                 ///< of one of them
  std::vector<AnswerShare> answers = {};  ///< those with π₀ > 0, ascending by type
  auto operator<=>(const QueryType&) const = default;
};

/// n alike units. A query has answers in its own unit only, but for label noise. Of two units every query of one type
/// is like every query of that type of the other.
struct UnitGroup {
  double count = 1;                  ///< n; a real number at a quadrature node
  std::vector<double> answer_twins;  ///< t of every answer type: alike answers of a unit
  std::vector<QueryType> queries;    ///< may be empty: answers that no query has
  bool operator==(const UnitGroup&) const = default;
};

struct Units {
  std::vector<UnitGroup> groups;

  double queries() const;  ///< N = Σ n r
  double answers() const;  ///< K = Σ n t
  bool operator==(const Units&) const = default;
};

/// A query type, by the numbers of its unit group and of the type there.
struct TypeAt {
  std::size_t group = 0, type = 0;
  bool operator==(const TypeAt&) const = default;
};

/// Every query type, likeliest first; of equally likely ones in the order of the units. Population::queries has its
/// groups in this order.
std::vector<TypeAt> query_types(const Units& units);

}  // namespace rarefact
