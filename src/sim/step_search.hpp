#pragma once

/// The search for step sizes: all of a range are tried, and the best is kept.

#include <cstddef>
#include <vector>

#include "experiment/step_sizes.hpp"
#include "rarefact/result.hpp"

namespace rarefact {

/// The number of runs of an optimizer; 1 if its step size is given.
double run_count(const OptimizerChoice& choice);

/// A run of an optimizer; one of several in a search.
struct Attempt {
  std::size_t optimizer = 0;  ///< place in the experiment
  double step_size = 0;
  int edge = 0;  ///< -1 or 1 for the smallest or largest step size of a search, else 0
};

/// All runs, by optimizer and step size. Throws InputError if an expression is not a legal step size.
std::vector<Attempt> attempts_of(const Experiment& experiment, const Spectrum& spectrum);

/// The score of a run by the optimizer's criterion, lower is better. Infinite without a value, as for runs that
/// diverged or failed.
double score_of(const Trajectory& trajectory, const OptimizerChoice& choice);

}  // namespace rarefact
