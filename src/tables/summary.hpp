#pragma once

/// What a person is told of a result at the end of a run or a merge.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiment/plan.hpp"
#include "rarefact/result.hpp"
#include "tables/table.hpp"

namespace rarefact {

/// The closing table and what did not go well, collected run by run, so that runs need not be in memory together.
///
/// A row for each optimizer, and in a sweep for each point with the values of the swept keys, averaged over the seeds, at
/// most 40 rows: the total loss at the last recorded step and what was predicted; the error of the tail (the rarest class
/// row), what was predicted of that, and without a sweep the error of the head (the most frequent one); and the first
/// recorded step at which every class has error below 0.1, or ">LAST" where none has. Without a sweep a diverged
/// optimizer shows its last finite record. Losses in nats. Lines below say which step sizes were chosen, the engines, what
/// ended otherwise than complete, the certified error of quadratures, and where not every step was recorded.
class ClosingReport {
 public:
  /// `head`: steps and optimizers; `runs`: how many will be added.
  ClosingReport(const Result& head, std::size_t runs);
  /// Of all its runs.
  explicit ClosingReport(const Result& result);
  void add(const Run& run);

  std::string table() const;
  /// A line for each of the first few optimizers that are not complete, whose best step size is the least or largest
  /// tried, or whose ε is larger than the gradient of the rarest class.
  std::string warnings() const;
  bool any_failed() const { return failed_; }
  bool all_complete() const { return incomplete_.count == 0; }

 private:
  /// The first few lines of a kind, and how many there are.
  struct FirstLines {
    std::string start, kind, first = {};
    std::size_t count = 0;
    void add(const std::string& line);
    std::string text() const;
  };
  /// An optimizer whose ε is large in some of the runs.
  struct Held {
    std::string first = {};  ///< what is said of the first of them
    std::size_t runs = 0;
  };
  /// Made one by one by an optimizer whose runs leap over the others.
  struct Updates {
    std::int64_t least, most;
    double error = 0;
  };
  std::optional<Experiment> experiment_of(const Run& run) const;
  std::optional<ExperimentPlan> plan_;  ///< absent where the text of the result cannot be read
  std::vector<std::int64_t> steps_;
  bool squares_;
  std::size_t runs_, examined_ = 0;
  std::optional<Answers> answers_;                           ///< once there is a run
  std::string step_sizes_ = {};                              ///< without a sweep
  std::map<std::string, std::vector<std::string>> engines_;  ///< name -> optimizers
  std::map<std::string, Held> held_;                         ///< by optimizer
  std::map<std::string, Updates> updates_;                   ///< the same
  FirstLines endings_{"", "that are not complete"}, incomplete_{"warning: ", "that are not complete"};
  FirstLines at_edge_{"warning: ", "whose best step size is the least or largest tried"};
  FirstLines parting_{"warning: ", "in which rounding parts twins"};
  FirstLines notes_{"warning: ", "of runs that are complete"};
  bool any_quadrature_ = false, failed_ = false, chosen_ = false;
  double largest_error_ = 0;
};

}  // namespace rarefact
