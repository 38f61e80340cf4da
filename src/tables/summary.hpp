#pragma once

/// The summary of a result, printed at the end of a run or a merge.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiment/plan.hpp"
#include "rarefact/result.hpp"
#include "tables/table.hpp"

namespace rarefact {

/// The summary table and warnings, collected run by run, so that runs need not be in memory together.
///
/// A row for each optimizer, and in a sweep for each point with the values of the swept keys, averaged over
/// the seeds, at most 40 rows: the total loss at the last recorded step and its prediction; the error of the
/// tail (the rarest class row), its prediction, and without a sweep the error of the head (the most frequent
/// row); and the first recorded step at which every class has error below 0.1, or ">LAST" if there is none.
/// Without a sweep a diverged optimizer shows its last finite record. Losses in nats. Lines below have the
/// chosen step sizes, the engines, runs that are not complete, the certified error of quadratures, and
/// whether not every step was recorded.
class ClosingReport {
 public:
  /// `head`: steps and optimizers; `runs`: the number of runs that will be added.
  ClosingReport(const Result& head, std::size_t runs);
  /// The summary of all runs of a result.
  explicit ClosingReport(const Result& result);
  void add(const Run& run);

  std::string table() const;
  /// A line for each of the first few optimizers that are not complete, whose best step size is the least or largest
  /// tried, or whose ε is larger than the gradient of the rarest class.
  std::string warnings() const;
  bool any_failed() const { return failed_; }
  bool all_complete() const { return incomplete_.count == 0; }

 private:
  /// The first lines of a kind, and their number.
  struct FirstLines {
    std::string start, kind, first = {};
    std::size_t count = 0;
    void add(const std::string& line);
    std::string text() const;
  };
  /// An optimizer whose ε is too large in some runs.
  struct Held {
    std::string first = {};  ///< the note on the first of them
    std::size_t runs = 0;
  };
  /// Updates made one by one by an optimizer whose runs fast-forward.
  struct Updates {
    std::int64_t least, most;
    double error = 0;
  };
  std::optional<Experiment> experiment_of(const Run& run) const;
  std::optional<ExperimentPlan> plan_;  ///< nullopt if the text of the result cannot be read
  std::vector<std::int64_t> steps_;
  bool squares_;
  std::size_t runs_, examined_ = 0;
  std::optional<Answers> answers_;                           ///< set with the first run
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
