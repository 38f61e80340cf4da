#pragma once

/// What statements take for granted, by name, tested on their runs.

#include "verify/check_row.hpp"

namespace rarefact {

struct AssumptionRow {
  std::string name;
  HypothesisRow row;
};
const std::vector<AssumptionRow>& assumptions();

/// Under every label runs the rule of the statement's experiments.
Hypothesis own_rules(const CheckRow& row, const Evidence& evidence);

}  // namespace rarefact
