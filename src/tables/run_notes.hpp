#pragma once

/// What an experiment lets one say beside the numbers of its runs.

#include <string>

#include "experiment/experiment.hpp"
#include "rarefact/result.hpp"

namespace rarefact {

/// "gd: step size 12.5 = 2/p_max", "adam: step size 0.1, best of 9 in [0.01, 1], loss"; empty where the step
/// size is a number of the file.
std::string step_size_text(const OptimizerChoice& choice, const Trajectory& trajectory);

/// Whether the loss tends to 0 as the step size grows, so that no step size is best. True without label noise, with
/// the exact gradient, where embeddings drop out and the first step from W = 0 raises every right logit above all
/// wrong ones by η γ_l, γ_l > 0: then L <= Σ_l p_l (K-1) e^{-η γ_l} after it. Rules that act on each column keep the
/// sign of its residual; those that forget the gradient's scale are Muon (wang2025, Theorem 5.3) and the normalised
/// ones. Said of the rules of the catalogue.
bool loss_falls_with_step_size(const Experiment& experiment, const OptimizerChoice& choice);

/// "the gradient of the rarest class, ..." where a rule adds ε to sizes of gradients, and that of the run's rarest
/// class row is smaller at the start, (1-α) p_l; else empty. Of the exact gradient alone.
std::string epsilon_text(const Experiment& experiment, const OptimizerChoice& choice, const Run& run);

/// "from step 365 on rounding parts twins ..." where twin_gain is above 2; else empty. The symmetric algebra holds twins
/// together, which no run over all entries does then.
std::string parting_text(const Trajectory& trajectory, const std::vector<std::int64_t>& steps);

}  // namespace rarefact
