#pragma once

/// The assumptions that statements name, tested on their runs (rarefact list assumptions).

#include <functional>
#include <string>
#include <vector>

#include "verify/evidence.hpp"

namespace rarefact {

struct AssumptionRow {
  std::string name, words;
  std::function<bool(const EvidencePoint&)> met;  ///< of every point
  std::string holds = {};                         ///< or an expression of claims
  bool needed = false;                            ///< without it there is nothing to measure
};
const std::vector<AssumptionRow>& assumptions();
/// InputError with the nearest name.
const AssumptionRow& assumption_row(const std::string& name);

}  // namespace rarefact
