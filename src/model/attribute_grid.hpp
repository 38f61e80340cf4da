#pragma once

/// Classes that are pairs of attributes, a subject i = 1..S and a relation j = 1..R: p ∝ i^-a_S j^-a_R. A query (i, j) of
/// the embedding `attributes` is b_S e_i + b_R f_j, and each has an answer of its own.

#include <array>

#include "core/types.hpp"
#include "rarefact/catalogue.hpp"

namespace rarefact {

struct ClassGroups;

/// The names of the attributes: subject, relation.
extern const std::array<const char*, 2> attribute_names;
/// The variable of the errors of an attribute: attribute_error_subject, attribute_error_relation.
std::string attribute_error_name(std::size_t attribute);

/// Classes are numbered by groups: the pairs that permutations of equally likely attribute values, relations or subjects,
/// take into one another. Groups with equal probability stay apart.
struct AttributeGrid {
  std::array<double, 2> count = {};     ///< S and R
  std::array<double, 2> exponent = {};  ///< a_S and a_R
  std::array<bool, 2> uniform = {};     ///< whether all values are equally likely

  double classes() const { return count[0] * count[1]; }
  /// The attribute whose values are the groups if the other, inner(), is uniform and numbers the classes of each.
  std::size_t outer() const { return uniform[0] && !uniform[1] ? 1 : 0; }
  std::size_t inner() const { return 1 - outer(); }
  /// The subject and the relation of a class, numbered from 0.
  std::array<Index, 2> pair(Index l) const {
    const auto size = static_cast<Index>(count[inner()]);
    std::array<Index, 2> both = {};
    both[outer()] = l / size;
    both[inner()] = l % size;
    return both;
  }
  /// For an answer to a query: {its subject is wrong, its relation is wrong}.
  std::array<bool, 2> wrong(Index query, Index answer) const {
    const auto asked = pair(query), given = pair(answer);
    return {asked[0] != given[0], asked[1] != given[1]};
  }
};

/// The spectrum `product`. Throws InputError.
AttributeGrid attribute_grid(const ParameterValues& parameters);
ClassGroups groups_of(const AttributeGrid& grid);
/// Parameters of the spectrum.
std::vector<Parameter> attribute_parameters();

/// b_S and b_R of the embedding `attributes`. Throws InputError.
std::array<double, 2> attribute_gains(const ParameterValues& parameters);
/// W(0) of the start `manifold`, SR x (S + R).
Matrix attribute_start(const AttributeGrid& grid, double scale);
/// Its matrix, (S + R) x SR, in the coordinates of the attributes.
Matrix attribute_queries(const AttributeGrid& grid, const std::array<double, 2>& gains);

}  // namespace rarefact
