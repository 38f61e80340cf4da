#pragma once

/// What a rule keeps, in words.

#include <string>

#include "optim/update_rule.hpp"

namespace rarefact {

/// Each one a clause.
struct RuleProperties {
  std::string answers, queries;  ///< how it follows when coordinates change on that side
  std::string columns;           ///< whether wrong answers that agree within a column stay so
  std::string scale;             ///< "D(cX) = D(X)"
};

/// Of a rule that is a formula, or that one says as well, with the part of it that is to blame for what is lost.
RuleProperties properties_of(const OptimizerRow& rule, const ParameterValues& parameters);

/// "answers turn with rotations: orthonormal ones drop out; queries ...".
std::string in_one_line(const RuleProperties& properties);

}  // namespace rarefact
