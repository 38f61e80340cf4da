#pragma once

/// Queries and answers written out, for memories without symmetry and for samples.

#include <cstddef>

#include "model/components.hpp"

namespace rarefact {

/// The answers of every query. Queries and answers are numbered from 0.
struct Pairs {
  std::vector<double> probability = {};  ///< p of every query: N numbers that sum to 1
  std::vector<std::size_t> begin = {0};  ///< begin of the answers of each query; N + 1 numbers
  std::vector<Index> answer = {};        ///< those with π₀ > 0, ascending within a query
  std::vector<double> share = {};        ///< π₀ of each; those of a query sum to 1
  std::vector<char> right = {};          ///< whether each is a right answer
  Index answers = 0;                     ///< K

  Index queries() const { return std::ssize(probability); }
  /// Makes the answers since the last query those of a query.
  void add_query(double p) {
    probability.push_back(p);
    begin.push_back(answer.size());
  }
  bool operator==(const Pairs&) const = default;
};

/// The types of queries and answers by their numbers, counted from 0 over the groups of components.
struct PairTypes {
  std::vector<Index> query, answer;
};

struct TypedComponents {
  Components components;
  PairTypes types;
};
struct TypedPairs {
  Pairs pairs;
  PairTypes types;
};

/// Merges identical queries (equal probability, equal column) and identical answers (the same shares of the
/// same queries), finds the connected components, and makes equal components a group. Exact: nothing is merged
/// that differs in a bit. Groups are in the order of their most likely query, most likely first; answers
/// without queries come last, as one component. Components that are not stars may remain separate although
/// they are equal up to the numbering.
TypedComponents components_of(const Pairs& pairs);

/// All queries and answers, by group, component and type. Precondition: whole counts and multiplicities.
TypedPairs written_out(const Components& components);

}  // namespace rarefact
