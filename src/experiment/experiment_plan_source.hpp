#pragma once

// What a plan holds, for the files that read and write plans.

#include <functional>
#include <string>
#include <vector>

#include "experiment/experiment_file_tables.hpp"
#include "experiment/experiment_plan.hpp"
#include "experiment/experiment_plan_axes.hpp"

namespace rarefact {

struct ExperimentPlan::Source {
  std::string file;
  toml::table base;  ///< the file without [sweep], after the overrides
  std::vector<Axis> axes;
  PointReading reading;
};

/// An index into each axis.
using PointChoice = std::vector<std::size_t>;

/// Puts the chosen values into the tables of a file.
void place_point(toml::table& root, const std::vector<Axis>& axes, const PointChoice& choice);

/// Calls `visit` for points that show all that can be wrong with any: keys of different tables ([classes],
/// [run], one optimizer ...) know nothing of each other, so it is the product of the axes with a key of each
/// table, the others at their first value. `visit` returns false to stop.
void for_telling_points(const std::vector<Axis>& axes, const std::function<bool(const PointChoice&)>& visit);

}  // namespace rarefact
