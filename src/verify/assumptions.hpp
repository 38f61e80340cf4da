#pragma once

/// Assumptions named by statements, and their tests on the runs (rarefact list assumptions).

#include <functional>
#include <string>

#include "verify/evidence.hpp"

namespace rarefact {

struct AssumptionRow {
  std::string name, words;
  std::function<bool(const EvidencePoints&)> met;  ///< of the points of an experiment
  std::string holds = {};                          ///< alternatively, an expression of claims
  bool needed = false;                             ///< if it is not met, nothing can be measured
};
const std::vector<AssumptionRow>& assumptions();
/// The assumption of this name. Throws InputError with the nearest name.
const AssumptionRow& assumption_row(const std::string& name);

}  // namespace rarefact
