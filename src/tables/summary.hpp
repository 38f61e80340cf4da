#pragma once

/// What a person is told of a result at the end of a run or a merge.

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "rarefact/result.hpp"

namespace rarefact {

/// The closing table and what did not go well, collected run by run, so that runs need not be in memory together.
///
/// One table for each run of the result, a row for each optimizer: engine; the total loss at the last recorded
/// step; error and loss of the head (the first class group, the most frequent) and the tail (the last one); and
/// the first recorded step at which every class has error below 0.1, or "not reached (> last step)". A diverged
/// optimizer shows its last finite record. Losses in nats. Lines below say what ended otherwise than complete,
/// the certified error of quadratures, and where not every step was recorded.
///
/// More than four runs are one table, a row for each run and optimizer with the values of the swept keys,
/// without the losses of head and tail; at most 2,000 rows of it.
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
  /// A line for each of the first few optimizers that are not complete, or whose best step size is the least or
  /// largest tried.
  std::string warnings() const { return at_edge_.text() + incomplete_.text(); }
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
    std::string endings = {};
  };
  std::string run_tables() const;
  std::string list() const;

  std::vector<std::int64_t> steps_;
  std::size_t runs_, most_shown_;
  std::vector<Shown> shown_;
  std::set<std::string> keys_;
  FirstLines endings_{"", "that are not complete"}, incomplete_{"warning: ", "that are not complete"};
  FirstLines at_edge_{"warning: ", "whose best step size is the least or largest tried"};
  bool any_quadrature_ = false, failed_ = false;
  double largest_error_ = 0;
};

}  // namespace rarefact
