#pragma once

// The values of an axis from what stands behind its key: a list, or a table that generates one.

#include <string>
#include <vector>

#include "experiment/experiment_keys.hpp"
#include "experiment/experiment_plan_axes.hpp"

namespace rarefact {

/// More values than this on one axis are a slip.
inline constexpr double most_axis_values = 1e6;

/// Whether a table of [sweep] generates values; otherwise it is a part of dotted keys.
bool generates_values(const toml::table& table);

/// What a node stands for where `key` is swept. Whether it is legal for the key is left to the reader of
/// points.
AxisElement axis_element(const toml::node& node, const ExperimentKey& key);

/// What the keys of an axis have at a place, as TOML: "4", of a joint axis "[4, 0.1]".
std::string place_text(const std::vector<AxisKey>& keys, std::size_t place);

/// A problem for each place of the axis `name` whose values it had before. `nodes` are where the places were
/// written; none where `whole` generates them.
void refuse_repetitions(const std::vector<AxisKey>& keys, const std::vector<const toml::node*>& nodes,
                        const toml::node& whole, const std::string& name, ProblemList& problems);

/// The values of the axis `name` in [sweep] for `key`; none, and problems, where they are not legal as a
/// list: empty, a single value, a value twice. Whether each is legal for the key is left to the reader of
/// points.
std::vector<AxisElement> axis_elements(const toml::node& node, const std::string& name,
                                       const ExperimentKey& key, ProblemList& problems);

}  // namespace rarefact
