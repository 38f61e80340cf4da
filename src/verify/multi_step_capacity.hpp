#pragma once

// Several steps of Muon on Gaussian embeddings, with the thresholded or with the exact gradient.

#include "verify/capacity_evidence.hpp"

namespace rarefact::checks {

/// Exponents in d of counts and losses after every step, as evidence beside 2 - (1 - 1/(2a))^t and 1 - a
/// times that; `status` of the claims as in claimed_text. `thresholded`: which gradient the runs have to
/// have.
void judge_multi_step_capacity(const Evidence& evidence, bool thresholded, const std::string& status,
                               CheckReport& report);

/// The hypotheses in words; `gradient` is the one on the gradient.
std::vector<std::string> multi_step_hypotheses(const std::string& gradient);

}  // namespace rarefact::checks
