#pragma once

/// What step sizes may be besides numbers: expressions of the problem, and searches for the best one.

#include <string>
#include <vector>

#include "experiment/experiment.hpp"
#include "model/spectrum.hpp"

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

/// What StepSearch::minimise may be: a variable at the last step, or the first step at which one is below a threshold.
struct SearchCriterion {
  std::string name;
  std::string meaning;
  std::string variable = {};  ///< of a result; empty: what StepSearch::of and below say
  bool threshold() const { return variable.empty(); }
};
const std::vector<SearchCriterion>& search_criteria();

/// What StepSearch::of may be: an error of a recorded step.
struct SearchedError {
  std::string name;
  std::string meaning;
  std::string variable, rows;  ///< of a result, and of which class row: tail, max
};
const std::vector<SearchedError>& searched_errors();

/// Least StepSearch::below: the weighted error is known to about 1e-16 on the way.
inline constexpr double least_searched_error = 1e-12;

}  // namespace rarefact
