#pragma once

/// The optimizer catalogue: name, formula, source, parameters and declared symmetries of every update rule.

#include <string>
#include <vector>

#include "optim/update_rule.hpp"

namespace rarefact {

/// gd, ngd, momentum, signgd, tra_signgd, adam, muon, newton, and what was added before the first call.
const std::vector<OptimizerRow>& optimizer_catalogue();

/// The row of a rule that validation has accepted.
const OptimizerRow& optimizer_row(const std::string& rule);

/// One more row. std::logic_error where the name is taken, or the catalogue was read already.
void add_optimizer(OptimizerRow row);

}  // namespace rarefact
