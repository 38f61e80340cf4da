#pragma once

/// The search for step sizes: every one of a range is run, and the best is kept.

#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "experiment/experiment.hpp"
#include "sim/result.hpp"

namespace rarefact {

/// The step sizes of a search, ascending: equal ratios, rounded to 15 digits, both ends as given.
std::vector<double> searched_step_sizes(const StepSearch& search);

/// How many runs an optimizer takes: 1 where its step size is given.
double run_count(const OptimizerChoice& choice);

/// The experiment with an optimizer, of the same name, for every step size of every search.
Experiment with_all_step_sizes(const Experiment& experiment);

/// Decides which run an optimizer shows: the one with the least value at the last step, of equal ones that
/// with the smaller step size. What diverged, failed or ends with no finite number counts as infinite. The
/// order in which runs are shown to it does not matter, so they may come from several threads.
class StepContest {
 public:
  explicit StepContest(const Experiment& experiment);

  /// A run of with_all_step_sizes, by its index. Fills in its step size; where another run of the same
  /// optimizer is better, the worse one's trajectory is emptied.
  void show(std::size_t index, std::vector<Trajectory>& trajectories);

  /// The indices of the best runs, one an optimizer in the experiment's order. Precondition: all were shown.
  std::vector<std::size_t> best() const { return best_; }

 private:
  struct Entry {
    std::size_t optimizer;
    double step_size;
    std::int64_t edge;
    std::string minimise;
  };
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::vector<Entry> entries_;
  std::vector<std::size_t> best_;
  std::vector<double> values_;  // of the best ones
  std::mutex mutex_;
};

}  // namespace rarefact
