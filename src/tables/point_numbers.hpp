#pragma once

/// Numbers of the problem by the names that expressions use (docs/reference.md).

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiment/experiment.hpp"
#include "rarefact/result.hpp"
#include "theory/closed_form.hpp"

namespace rarefact {

/// A point of a sweep. What it refers to must outlive it.
struct FramePoint {
  const Run* run;
  const std::vector<std::int64_t>* steps;         ///< that the run recorded
  const std::vector<Variable>* variables;         ///< that were recorded
  std::function<const Experiment&()> experiment;  ///< resolved, with the step sizes that ran
};

/// Numbers of a point: a single one, or one per optimizer or class row.
struct PointNumbers {
  enum class Of { point, optimizers, rows };
  Of of;
  std::function<std::vector<double>(const FramePoint&)> numbers;
};
const std::map<std::string, PointNumbers>& point_numbers();

/// For every class row p over σ = (Σ p²)^½ of its answer's queries.
FormClasses classes_of(const Run& run);

}  // namespace rarefact
