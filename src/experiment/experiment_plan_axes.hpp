#pragma once

// The axes of [sweep]: which values stand on them, and where each was written.

#include <memory>
#include <string>
#include <vector>

#include "experiment/experiment.hpp"
#include "experiment/experiment_file_values.hpp"

namespace rarefact {

/// One value of an axis.
struct AxisElement {
  std::string text;   ///< as TOML, the same for all ways to write the value: 0.001 for 1e-3
  std::string place;  ///< source path of nodes made of it
  SweptValue value;   ///< as results hold it; of a list or table its text
};

/// A key with the values it takes, in the order of the file.
struct AxisKey {
  std::string name;
  std::vector<AxisElement> elements;
};

/// Keys that take their values together: one, or in alphabetical order the several of a joint axis.
struct Axis {
  std::vector<AxisKey> keys;  ///< each with as many elements
  toml::source_region where;  ///< of the name
  std::size_t size() const { return keys.front().elements.size(); }
};

struct Axes {
  std::vector<Axis> list;
  /// Keys whose axis has a problem, so that it is not in the list.
  std::vector<std::string> refused;
  /// Keys whose axis an override replaced by one value or other ones: what the file gives for the sake of the
  /// replaced values is no mistake.
  std::vector<AxisKey> replaced;
};

/// Takes [sweep] out of the tables of a file and puts the overrides over both: a key of an axis replaces the
/// axis by that one value, "sweep.KEY" sets an axis. A key of a joint axis is refused.
Axes take_axes(toml::table& root, const std::vector<std::string>& overrides, ProblemList& problems);

/// A node of the element for a table under the name "value", with the element's place.
toml::table element_node(const AxisElement& element);

/// The values of a key as results hold them: numbers, or texts where one of them is a text.
std::vector<SweptValue> swept_values(const AxisKey& key);

}  // namespace rarefact
