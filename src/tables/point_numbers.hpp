#pragma once

/// Numbers of the problem by the names that expressions use (docs/claims.md).

#include <functional>
#include <map>
#include <memory>
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
  std::shared_ptr<const Run> all_classes = {};    ///< cached by problem()

  /// The run, or, if run.classes chose its class rows, the rows of all classes: numbers of the problem are of these.
  const Run& problem();
};

/// Numbers of a point: a single one, or one per optimizer or class row.
struct PointNumbers {
  enum class Of { point, optimizers, rows };
  Of of;
  std::function<std::vector<double>(FramePoint&)> numbers;
};
const std::map<std::string, PointNumbers>& point_numbers();

/// For every class row p over σ = (Σ p²)^½ of its answer's queries. Throws InputError if run.classes shows a class that
/// is no row of all classes.
FormClasses classes_of(FramePoint& point);

}  // namespace rarefact
