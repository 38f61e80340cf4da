#pragma once

/// The symmetries of a rule in words.

#include <string>

#include "optim/update_rule.hpp"

namespace rarefact {

/// A clause per symmetry.
struct RuleProperties {
  std::string answers, queries;  ///< equivariance under changes of coordinates on this side
  std::string columns;           ///< equal wrong answers within a column stay equal, or not
  std::string scale;             ///< "D(cX) = D(X)"
};

/// The properties of a rule; for a rule with a formula also the part of it that breaks a symmetry.
RuleProperties properties_of(const OptimizerRow& rule, const ParameterValues& parameters);

/// "answers: equivariant to rotations, any orthonormal embedding ...; queries: ...", all clauses joined.
std::string in_one_line(const RuleProperties& properties);

}  // namespace rarefact
