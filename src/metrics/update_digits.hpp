#pragma once

#include "rarefact/result.hpp"

namespace rarefact {

/// With fewer digits a run has the status digits_lost, and claims do not read measures of the update.
inline constexpr double min_digits = 3;

/// `update_digits` if the variable measures the update, or NAME_digits of its prediction; null if there are none.
const std::vector<double>* update_digits(const Trajectory& trajectory, const std::string& variable);

}  // namespace rarefact
