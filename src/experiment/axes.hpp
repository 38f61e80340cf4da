#pragma once

// The axes of [sweep]: which typed values stand on them, and where each was written.

#include <string>
#include <string_view>
#include <vector>

#include "experiment/experiment.hpp"
#include "experiment/read.hpp"

namespace rarefact {

/// A key with the values it takes, in the order of the file. Each is in one form for all ways to write it: a
/// float for a key that takes any number, else whole where it is whole.
struct AxisKey {
  std::string name;
  std::vector<Setting> values = {};
};

/// Keys that take their values together: one, or in alphabetical order the several of a joint axis.
struct Axis {
  std::vector<AxisKey> keys;  ///< each with as many values
  Place where;                ///< of the name
  std::size_t size() const { return keys.front().values.size(); }
};

struct Axes {
  std::vector<Axis> list;
  /// Keys whose axis has a problem, so that it is not in the list.
  std::vector<std::string> refused;
  PointReading reading;
};

/// Takes [sweep] out of the tables of a file and puts the overrides over both: a key of an axis replaces the
/// axis by that one value, "sweep.KEY" sets an axis. A key of a joint axis is refused.
Axes take_axes(Setting& root, const std::vector<std::string>& overrides, ProblemList& problems);

/// The values of a key as results hold them: numbers, or texts where one of them is no number.
std::vector<SweptValue> swept_values(const AxisKey& key);

/// The axis as it stands in the canonical text of a plan.
std::string axis_line(const Axis& axis);

/// Whether a table of [sweep] generates values; otherwise it is a part of dotted keys.
bool generates_values(const Setting& table);

/// The keys in the name of an axis: one, or those between the commas without the blanks around these. A comma
/// in one of the `labels` of optimizers parts no keys.
std::vector<std::string> keys_of_axis(std::string_view name, const std::vector<std::string>& labels);

/// What stands behind the name of an axis: the values of each of its keys, all known, in their order. Of one
/// key a list of values or a table that generates one, of several a list of lists. Problems where it is
/// neither, where it is empty or a place is on it twice. Whether a value is legal for its key is left to the
/// reader of points.
std::vector<AxisKey> axis_keys(const Setting& written, const std::vector<std::string>& keys,
                               ProblemList& problems);

}  // namespace rarefact
