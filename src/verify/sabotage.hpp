#pragma once

/// True if a statement would notice it, were its runs wrong: numbers that are off, and other rules under its labels.

#include <optional>
#include <string>
#include <vector>

#include "verify/check_row.hpp"

namespace rarefact {

/// "finding rho: update_entropy" for every variable on which a green finding rests and which may be off without its noticing. All
/// values are multiplied and divided by 1 + δ, δ ten tolerances of the finding and 1e-9 at least (of a bound: by 1000), tilted by
/// (1 + δ)^position along each axis, the optimizers, the steps and the classes, put in the opposite order along each, and replaced by
/// 1; those of the last point, optimizer, step or class alone are multiplied, divided and tilted. Unseen is a variable if the finding stays green
/// through all of these, or where all values are NaN. A finding that says why it is `blind`, or blind to a variable, is left out.
/// `number`: of this finding alone.
std::vector<std::string> unseen_changes(const CheckRow& row, const Evidence& evidence,
                                        std::optional<std::size_t> number = {});

/// "rule gd of plain" for every label under which gd, muon and signgd leave the statement green on the runs of these options.
/// Evidence is that of the rules as they are. A claim that says why it is `blind` to rules is left out.
std::vector<std::string> unseen_rules(const CheckRow& row, const CheckOptions& options,
                                      const Evidence& evidence);

}  // namespace rarefact
