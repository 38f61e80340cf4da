#pragma once

/// What the findings of a claim come to.

#include <set>

#include "verify/check_row.hpp"
#include "verify/claim_text.hpp"

namespace rarefact::claims {

/// The number of the experiment of this name among those of the row. InputError at the place of `of` where there is none.
std::size_t experiment_number(const CheckRow& row, const Entry& entry, const std::string& file);

/// Adds findings, assumptions and curves. InputError with the place of what a claim may not ask.
void judge_claim(const CheckRow& row, const Evidence& evidence, CheckReport& report);

/// Adds the findings of one entry alone, and says what they rest on: variables of the results, and the largest tolerance.
struct FindingBasis {
  std::set<std::string> variables = {};
  double tolerance = 0;
};
FindingBasis judge_finding(const CheckRow& row, const Evidence& evidence, std::size_t number,
                           CheckReport& report);

}  // namespace rarefact::claims
