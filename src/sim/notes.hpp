#pragma once

/// Notes for the user about a complete run, and the source of its step size.

#include "sim/outcome.hpp"

namespace rarefact {

/// Sets the source of the step size and, for a complete run, the notes: its best step size is at the edge of
/// those tried; ε slows rare classes; rounding separates identical classes.
void add_notes(Attempted& kept);

/// True if the loss tends to 0 as the step size grows, so that no step size is best. True without label
/// noise, with exact gradients, if embeddings drop out and the first step from W = 0 raises every right logit
/// above all wrong ones by η γ_l, γ_l > 0: then L <= Σ_l p_l (K-1) e^{-η γ_l} after it. This holds for rules
/// on columns, which keep the sign of the residual, and for Muon (wang2025, Theorem 5.3). Only for rules of
/// the catalogue.
bool loss_falls_with_step_size(const Experiment& experiment, const OptimizerChoice& choice);

}  // namespace rarefact
