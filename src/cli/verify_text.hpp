#pragma once

// What rarefact verify prints: the table of all checks, and one check in full.

#include <string>
#include <vector>

#include "verify/check_row.hpp"

namespace rarefact {

/// Verdict and headline numbers of every check.
std::string checks_table(const std::vector<CheckReport>& reports);

/// Statement, source, hypotheses, what was run, every finding with its rule, the curves, the verdict.
std::string explained_check(const CheckRow& row, const CheckReport& report);

/// id, title and statement of every row.
std::string checks_list();

}  // namespace rarefact
