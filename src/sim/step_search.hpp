#pragma once

/// The search for step sizes: every one of a range is run, and the best is kept.

#include <array>
#include <cstddef>
#include <mutex>
#include <vector>

#include "experiment/step_sizes.hpp"
#include "metrics/query.hpp"
#include "rarefact/result.hpp"

namespace rarefact {

/// The step sizes from `low` to `high`, ascending: equal ratios, rounded to 15 digits, both ends as given.
std::vector<double> searched_step_sizes(const StepSearch& search);

/// How many runs an optimizer takes: 1 where its step size is given.
double run_count(const OptimizerChoice& choice);

/// A run of an optimizer; of a search one of several.
struct Attempt {
  std::size_t optimizer = 0;  ///< place in the experiment
  double step_size = 0;
  int edge = 0;  ///< -1 and 1 for the least and the largest step size of a search
};

/// All runs, by optimizers and then by step sizes. InputError where an expression is no step size.
std::vector<Attempt> attempts_of(const Experiment& experiment, const Spectrum& spectrum);

/// Decides which run an optimizer shows: the one with the least score by its criterion, of equal ones that
/// with the smaller step size. What diverged, failed or ends with no finite number counts as infinite. The
/// order in which runs are shown to it does not matter, so they may come from several threads.
class StepContest {
 public:
  StepContest(const Experiment& experiment, std::vector<Attempt> attempts);

  /// The class rows of all runs, before any is shown.
  void see_rows(const std::vector<double>& probability) {
    rows_.class_probability = probability;
    rows_.class_count.resize(probability.size());
  }

  /// The run attempts[index]. Fills in its step size; where another run of the same optimizer
  /// is better, the worse one's trajectory is emptied.
  void show(std::size_t index, std::vector<Trajectory>& trajectories);

  /// The indices of the best runs, one an optimizer in the experiment's order. Precondition: all were shown.
  std::vector<std::size_t> best() const;

 private:
  using Score = std::array<double, 2>;
  struct Best {
    Query query = {};
    std::size_t index = static_cast<std::size_t>(-1);
    Score score = {};
  };
  /// The less the better; where there is no threshold, or two runs are equal, the value at the last step decides.
  /// Infinite where there is no number.
  Score score(Query query, const Trajectory& trajectory) const;

  std::vector<std::int64_t> steps_;
  Run rows_ = {};  ///< the class rows alone
  std::vector<Attempt> attempts_;
  std::vector<Best> best_;
  std::mutex mutex_;
};

}  // namespace rarefact
