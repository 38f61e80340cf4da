#pragma once

/// The steps of an optimizer: step sizes and decays that are expressions of the problem, searches, schedules.

#include "experiment/experiment.hpp"
#include "model/schedule.hpp"
#include "model/spectrum.hpp"

namespace rarefact {

/// A number of the problem that expressions may use.
struct ProblemNumber {
  std::string name;
  std::string meaning;
  double (*value)(const Experiment&, const Spectrum&);
};

/// p_max, p_min, K, steps, alpha.
const std::vector<ProblemNumber>& problem_numbers();

/// The canonical form of an expression, without blanks. Throws InputError if it is none of problem_numbers().
std::string checked_expression(const std::string& text);

inline std::string step_size_key(const std::string& optimizer) {
  return "optimizer." + optimizer + ".step_size";
}

/// The number, or the value of the expression. Throws InputError, about the key, if that is not a finite number > 0.
double step_size_value(const StepSize& size, const OptimizerChoice& choice, const Experiment& experiment,
                       const Spectrum& spectrum);

std::string without_blanks(const std::string& text);

StepSchedule schedule_of(const OptimizerChoice& choice, double step_size, const Experiment& experiment,
                         const Spectrum& spectrum);

/// True if λ is not 0.
bool decays(const OptimizerChoice& choice, const Experiment& experiment, const Spectrum& spectrum);

bool constant_steps(const OptimizerChoice& choice);

/// The schedule is evaluated at so many steps after the warm-up before a run, which later ends where it gives no step size.
inline constexpr std::int64_t checked_steps = 1'000'000;

/// Problems with the steps of an optimizer, about their keys: λ < 0, coupled decay of newton, a warm-up as long as the run, and the first of
/// checked_steps at which the schedule is negative or not finite.
std::vector<Problem> problems_of_steps(const OptimizerChoice& choice, const Experiment& experiment,
                                       const Spectrum& spectrum);

/// A value of StepSearch::minimise: a variable at the last step.
struct SearchCriterion {
  std::string name;
  std::string meaning;
  std::string variable;  ///< in a result
};
const std::vector<SearchCriterion>& search_criteria();
const SearchCriterion& criterion_of(const StepSearch& search);

}  // namespace rarefact
