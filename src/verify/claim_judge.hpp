#pragma once

/// The findings of a claim, judged.

#include <set>

#include "verify/check_row.hpp"
#include "verify/claim_data.hpp"
#include "verify/claim_text.hpp"

namespace rarefact::claims {

/// The number of the experiment that `of` names among those of the row, or of its own. InputError with a place where there is none.
std::vector<std::size_t> experiments_of(const CheckRow& row, const Entry& entry);

/// Adds assumptions, findings and curves; no findings where a needed assumption is not met. InputError with the place of what a
/// claim may not ask.
void judge_claim(const CheckRow& row, const Evidence& evidence, CheckReport& report);

/// Adds the findings of one entry alone, of values that `tamper` changes, and says what they rest on: variables of the results, and the
/// largest tolerance.
struct FindingBasis {
  std::set<std::string> variables = {};
  double tolerance = 0;
};
FindingBasis judge_finding(const CheckRow& row, const Evidence& evidence, std::size_t number,
                           CheckReport& report, const Tamper& tamper = {});

}  // namespace rarefact::claims
