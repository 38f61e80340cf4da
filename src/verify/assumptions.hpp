#pragma once

/// The assumptions that statements name, tested on their runs (rarefact list assumptions).

#include "verify/check_row.hpp"

namespace rarefact {

struct AssumptionRow {
  std::string name, words;
  bool (*met)(const PointList& points);
  bool needed = false;  ///< without it there is nothing to measure
};
const std::vector<AssumptionRow>& assumptions();
/// InputError with the nearest name.
const AssumptionRow& assumption_row(const std::string& name);

/// Under every label runs the rule of the statement's experiments.
Hypothesis own_rules(const CheckRow& row, const Evidence& evidence);

}  // namespace rarefact
