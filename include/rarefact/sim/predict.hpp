#pragma once

/// Predictions beside the measured series: margins from the theory catalogue turned into the variables of a
/// result.

#include "rarefact/sim/class_rows.hpp"
#include "rarefact/sim/result.hpp"
#include "rarefact/theory/prediction.hpp"

namespace rarefact {

/// Adds <name>_predicted and <name>_predicted_<variant> series to `trajectory` for every prediction that
/// applies, and returns the rows that did.
std::vector<const PredictionRow*> predict(const Situation& situation, const ClassRows& rows,
                                          const std::vector<std::int64_t>& steps, Trajectory& trajectory);

/// Suffix of the variables of a prediction: "_predicted" or "_predicted_<variant>".
std::string prediction_suffix(const PredictionRow& row);

}  // namespace rarefact
