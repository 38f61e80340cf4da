#pragma once

#include <algorithm>

#include "optim/update_rule.hpp"

namespace rarefact {

/// The rows of the optimizer catalogue that are rules by themselves: what they need of a user has a default.
inline const std::vector<OptimizerRow>& complete_rules() {
  static const std::vector<OptimizerRow> rules = [] {
    std::vector<OptimizerRow> complete;
    for (const OptimizerRow& row : optimizer_catalogue()) {
      const auto given = [](const Parameter& one) { return one.default_value || one.optional; };
      if (std::all_of(row.parameters.begin(), row.parameters.end(), given)) complete.push_back(row);
    }
    return complete;
  }();
  return rules;
}

}  // namespace rarefact
