#pragma once

/// The notes of a run (add_notes), each empty where there is nothing to say.

#include "sim/outcome.hpp"

namespace rarefact {

/// How much ε changes the errors or losses of classes, or the gap, by a run with ε = 0, where it is more than 1 %.
std::string epsilon_note(const Attempted& kept, const UnitRunner& run);

/// A rank that grows where few digits are left, or none were measured. Signs of entries may have any rank, and the first
/// step may leave a symmetry of W = 0.
std::string growth_note(const Attempted& kept);

/// The first step at which rounding may have hidden a direction of the gradient, if digits do not judge it.
std::string lost_note(const Unit& unit, const Trajectory& trajectory);

/// The first steps at which rounding decides recorded singular values of updates, and of W.
std::string rank_note(const Unit& unit, const Trajectory& trajectory);

}  // namespace rarefact
