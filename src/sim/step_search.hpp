#pragma once

/// The search for step sizes: all of a range are run, and the best is kept.

#include <array>
#include <cstddef>
#include <vector>

#include "experiment/step_sizes.hpp"
#include "metrics/query.hpp"
#include "rarefact/result.hpp"

namespace rarefact {

/// The step sizes from `low` to `high`, ascending: equal ratios, rounded to 15 digits, both ends as given.
std::vector<double> searched_step_sizes(const StepSearch& search);

/// The number of runs of an optimizer; 1 if its step size is given.
double run_count(const OptimizerChoice& choice);

/// A run of an optimizer, for a search one of several.
struct Attempt {
  std::size_t optimizer = 0;  ///< place in the experiment
  double step_size = 0;
  int edge = 0;  ///< -1 or 1 for the smallest or largest step size of a search, else 0
};

/// All runs, by optimizer and step size. Throws InputError if an expression is not a legal step size.
std::vector<Attempt> attempts_of(const Experiment& experiment, const Spectrum& spectrum);

/// The less the better. Where there is no threshold, or two runs are equal, the second number decides: the value at the last
/// step. Infinite where there is no number: of what diverged or failed.
using Score = std::array<double, 2>;

/// Of a run of this optimizer, by its criterion; `rows` has the class rows.
Score score_of(const Trajectory& trajectory, const OptimizerChoice& choice,
               const std::vector<std::int64_t>& steps, const Run& rows);

}  // namespace rarefact
