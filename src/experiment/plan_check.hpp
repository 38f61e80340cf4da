#pragma once

// Reading points of a plan, to find its problems.

#include "experiment/axes.hpp"

namespace rarefact {

/// An index into each axis.
using PointChoice = std::vector<std::size_t>;

/// Puts the chosen values into the tables of a file.
void place_point(ConfigNode& root, const std::vector<Axis>& axes, const PointChoice& choice);

/// The experiment of the first point, and the files that any point names.
struct Checked {
  std::optional<Experiment> first = {};
  std::vector<std::string> files = {};
};

/// Reads points that show every problem that any point has, and reports each problem of a key at a position once.
Checked check_points(const ConfigNode& base, const std::string& file, const Axes& axes,
                     ProblemList& problems);

}  // namespace rarefact
