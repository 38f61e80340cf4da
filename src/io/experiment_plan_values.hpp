#pragma once

// The values of an axis from what stands behind its key: a list, or a table that generates one.

#include <string>
#include <vector>

#include "experiment_plan_axes.hpp"
#include "rarefact/sim/experiment_keys.hpp"

namespace rarefact {

/// More values than this on one axis are a slip.
inline constexpr double most_axis_values = 1e6;

/// Whether a table of [sweep] generates values; otherwise it is a part of dotted keys.
bool generates_values(const toml::table& table);

/// The values of the axis `name` in [sweep] for `key`; none, and problems, where they are not legal as a
/// list: empty, a single value, a value twice. Whether each is legal for the key is left to the reader of
/// points.
std::vector<AxisElement> axis_elements(const toml::node& node, const std::string& name,
                                       const ExperimentKey& key, ProblemList& problems);

}  // namespace rarefact
