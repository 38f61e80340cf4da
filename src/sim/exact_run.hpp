#pragma once

/// A run on an exact engine, which stores every class or one of each set of identical classes.

#include "sim/unit.hpp"

namespace rarefact {

/// Fills in what `run` says of the trajectory, and of the plan probes, sample and the shape of W.
void run_exact(const Unit& unit, TrainingPlan plan, Trajectory& trajectory);

}  // namespace rarefact
