#pragma once

// The axes of [sweep]: their values, and where each was written.

#include "experiment/experiment.hpp"
#include "experiment/read.hpp"

namespace rarefact {

/// A key with its values in the order of the file: floats for keys that take any number, else integers where possible.
struct AxisKey {
  std::string name;
  std::vector<ConfigNode> values = {};
};

/// The keys of an axis: a single key, or those of a joint axis in alphabetical order.
struct Axis {
  std::vector<AxisKey> keys;  ///< all with the same number of values
  Place where;                ///< of the name
  std::size_t size() const { return keys.front().values.size(); }
};

struct Axes {
  std::vector<Axis> list;
  /// Keys of axes with problems, which are not in the list.
  std::vector<std::string> refused;
  PointReading reading;
};

/// Moves [sweep] out of the tables of a file and applies the overrides to both: a swept key replaces its axis
/// by one value, "sweep.KEY" sets an axis. A key of a joint axis is refused.
Axes take_axes(ConfigNode& root, const std::vector<std::string>& overrides, ProblemList& problems);

/// The values of a key as stored in results: numbers, or texts if one of them is not a number.
std::vector<SweptValue> swept_values(const AxisKey& key);

/// The axis in the canonical text of a plan.
std::string axis_line(const Axis& axis);

/// True if a table of [sweep] generates values; otherwise it is part of a dotted key.
bool generates_values(const ConfigNode& table);

/// The keys in the name of an axis, split at commas outside of optimizer labels, and trimmed.
std::vector<std::string> keys_of_axis(std::string_view name);

/// The values of the keys of an axis, which must exist, in order. `written` is a list of values or a table
/// that generates one, and for several keys a list of lists. Other, empty and repeated values are problems.
/// The reader of points finds values that are illegal for their keys.
std::vector<AxisKey> axis_keys(const ConfigNode& written, const std::vector<std::string>& keys,
                               ProblemList& problems);

}  // namespace rarefact
