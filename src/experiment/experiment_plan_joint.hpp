#pragma once

// Axes of several keys, which move together: their names and their values.

#include <string>
#include <string_view>
#include <vector>

#include "experiment/experiment_plan_axes.hpp"

namespace rarefact {

/// The keys in the name of an axis: one, or those between the commas without the blanks around these. A comma
/// in one of the `labels` of optimizers parts no keys.
std::vector<std::string> keys_of_axis(std::string_view name, const std::vector<std::string>& labels);

/// The keys of a joint axis with the values that the node, a list of lists, gives each, in the order of
/// `keys`: two or more, all known. Problems where it is no such list, where it is empty or a place is on it
/// twice. Whether a value is legal for its key is left to the reader of points.
std::vector<AxisKey> joint_axis_keys(const toml::node& node, const std::vector<std::string>& keys,
                                     ProblemList& problems);

}  // namespace rarefact
