#pragma once

/// What step sizes may be besides numbers: expressions of the problem, and searches for the best one.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "experiment/experiment.hpp"
#include "model/spectrum.hpp"
#include "rarefact/result.hpp"

namespace rarefact {

/// A number of the problem that step sizes may be written in.
struct ProblemNumber {
  std::string name;
  std::string meaning;
  double (*value)(const Experiment&, const Spectrum&);
};

/// p_max, p_min, K, steps, alpha.
const std::vector<ProblemNumber>& problem_numbers();

/// The expression without blanks, its one form for all ways to write it. InputError where it is none, or names what
/// is no row of problem_numbers().
std::string checked_expression(const std::string& text);

/// Its value. InputError, which names the optimizer, where that is no finite number > 0.
double step_size_value(const std::string& expression, const OptimizerChoice& choice,
                       const Experiment& experiment, const Spectrum& spectrum);

/// What a run of a search came to: the less the better, the second number where the first ones are equal.
/// Infinite where there is no number.
using Score = std::array<double, 2>;

/// What the series of a run are over: recorded steps, and class rows by the probability of a class in each.
struct RecordedRows {
  std::vector<std::int64_t> steps;
  std::vector<double> probability = {};
};

/// What StepSearch::minimise may be.
struct SearchCriterion {
  std::string name;
  std::string meaning;
  Score (*score)(const Trajectory&, const StepSearch&, const RecordedRows&);
  bool threshold = false;  ///< it reads StepSearch::of and below
};
const std::vector<SearchCriterion>& search_criteria();

/// What StepSearch::of may be: an error of a recorded step.
struct SearchedError {
  std::string name;
  std::string meaning;
  double (*at)(const Trajectory&, std::size_t record, const RecordedRows&);
};
const std::vector<SearchedError>& searched_errors();

/// Least StepSearch::below: the weighted error is known to about 1e-16 on the way.
inline constexpr double least_searched_error = 1e-12;

}  // namespace rarefact
