#pragma once

#include "rarefact/result.hpp"
#include "theory/prediction.hpp"

namespace rarefact {

/// The variables of a result, in catalogue order: measured, then predicted ones with the theorems they come
/// from. predictions: for every trajectory the rows that apply to it.
std::vector<Variable> variables_of(const std::vector<Trajectory>& trajectories,
                                   const std::vector<std::vector<const PredictionRow*>>& predictions);

}  // namespace rarefact
