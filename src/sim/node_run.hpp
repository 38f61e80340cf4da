#pragma once

/// A run on the nodes of a quadrature rule instead of all classes.

#include "sim/unit.hpp"

namespace rarefact {

/// Runs on a rule of variant.nodes nodes and fills in what `run` says of the trajectory. Rules that act on each column alone
/// run on the panel rule itself, of nodes/2 nodes a panel (16 for the first 32), and carry the classes of the rows along as
/// classes without weight; the others run on the compressed rule, and the rows are interpolated in ln k: the log-odds of
/// the right answer, and with label noise the excess loss itself.
void run_on_nodes(const Unit& unit, TrainingPlan plan, Trajectory& trajectory);

}  // namespace rarefact
