#pragma once

/// Notes about runs that follow from the experiment.

#include <string>

#include "experiment/experiment.hpp"
#include "rarefact/result.hpp"

namespace rarefact {

/// "gd: step size 12.5 = 2/p_max", "adam: step size 0.1, best of 9 in [0.01, 1], loss"; empty if the step
/// size is a number in the file.
std::string step_size_text(const OptimizerChoice& choice, const Trajectory& trajectory);

/// Whether the loss tends to 0 as the step size grows, so that no step size is best. True without label
/// noise, with exact gradients, if embeddings drop out and the first step from W = 0 raises every right logit
/// above all wrong ones by η γ_l, γ_l > 0: then L <= Σ_l p_l (K-1) e^{-η γ_l} after it. This holds for rules
/// on columns, which keep the sign of the residual, and for Muon (wang2025, Theorem 5.3). Only for rules of
/// the catalogue.
bool loss_falls_with_step_size(const Experiment& experiment, const OptimizerChoice& choice);

/// "the gradient of the rarest class, ..." if a rule adds ε to sizes of gradients, and that of the rarest
/// class row at the start, (1-α) p_l, is smaller; else empty. Only for exact gradients.
std::string epsilon_text(const Experiment& experiment, const OptimizerChoice& choice, const Run& run);

/// "from step 365 on rounding parts twins ..." if twin_gain exceeds 2; else empty. From then on rounding
/// separates identical classes in dense runs, but not in the symmetric algebra.
std::string parting_text(const Trajectory& trajectory, const std::vector<std::int64_t>& steps);

}  // namespace rarefact
