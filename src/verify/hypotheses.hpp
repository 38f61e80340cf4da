#pragma once

/// Hypotheses that many statements share, each tested against the points of an experiment. The detail names
/// what was found.

#include <string>
#include <vector>

#include "verify/evidence.hpp"
#include "verify/finding.hpp"

namespace rarefact::hypothesis {

/// EᵀE = ẼᵀẼ = I: kinds that are orthonormal, and those that are where their one parameter is 0 (toeplitz and
/// equicorrelated without correlation, noisy without noise).
Hypothesis orthonormal(const EvidencePoints& points);

/// E = Ẽ = I.
Hypothesis identity(const EvidencePoints& points);
/// E = I ⊗ R and Ẽ = I ⊗ R̃ with the blocks of wang2025, which block_rotation has by default.
Hypothesis rotated_blocks(const EvidencePoints& points);

/// The exact expectation, α = 0.
Hypothesis population_without_noise(const EvidencePoints& points);

/// Every fact adds to the gradient; or, thresholded, those that are recovered add nothing (data.recovered).
Hypothesis gradient(const EvidencePoints& points, bool thresholded);

/// Two groups of classes, unequally likely.
Hypothesis two_levels(const EvidencePoints& points);

/// No schedule changes a step size.
Hypothesis constant_step_sizes(const EvidencePoints& points);

/// Every trajectory reached its last step with finite numbers.
Hypothesis complete(const EvidencePoints& points);

}  // namespace rarefact::hypothesis
