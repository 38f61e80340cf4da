#pragma once

/// What the findings of a claim come to.

#include "verify/check_row.hpp"
#include "verify/claim_text.hpp"

namespace rarefact::claims {

/// The number of the experiment that `of` names among those of the row: the first without it.
std::size_t experiment_number(const CheckRow& row, const Entry& entry);

/// Adds findings, assumptions and curves. InputError with the place of what a claim may not ask.
void judge_claim(const ClaimText& claim, const CheckRow& row, const Evidence& evidence, CheckReport& report);

}  // namespace rarefact::claims
