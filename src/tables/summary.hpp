#pragma once

/// What a person is told of a result at the end of a run or a merge.

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "experiment/plan.hpp"
#include "rarefact/result.hpp"

namespace rarefact {

/// The closing table and what did not go well, collected run by run, so that runs need not be in memory together.
///
/// One table for each run of the result, a row for each optimizer: the total loss at the last recorded step and what
/// was predicted; the error of the head (the most frequent class group) and the tail (the rarest one), and what was
/// predicted of that; and the first recorded step at which every class has error below 0.1, or ">LAST" where
/// none has. A diverged optimizer shows its last finite record. Losses in nats. Lines below say which step sizes were
/// chosen, the engines, what ended otherwise than complete, the certified error of quadratures, and where not every
/// step was recorded.
///
/// More than four runs are one table, a row for each run and optimizer with the values of the swept keys, the step
/// sizes where some were chosen, and without the head; at most 2,000 rows of it.
class ClosingReport {
 public:
  /// `head`: steps and optimizers; `runs`: how many will be added.
  ClosingReport(const Result& head, std::size_t runs);
  /// Of all its runs.
  explicit ClosingReport(const Result& result);
  void add(const Run& run);

  /// More runs than this share one table.
  static constexpr std::size_t most_tables = 4;
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
  struct Shown {
    Run run = {};  ///< without its numbers
    std::vector<std::vector<std::string>> lines = {};
    std::string step_sizes = {}, endings = {};
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
  std::string run_tables() const;
  std::string list() const;

  std::optional<ExperimentPlan> plan_;  ///< absent where the text of the result cannot be read
  std::vector<std::int64_t> steps_;
  bool squares_;
  std::size_t runs_, most_shown_;
  std::vector<Shown> shown_;
  std::set<std::string> keys_;
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
