#pragma once

/// The summary of a result, printed at the end of a run or a merge.

#include <cstddef>

#include "rarefact/result.hpp"
#include "tables/table.hpp"

namespace rarefact {

/// The summary table and warnings, collected run by run, so that runs need not be in memory together.
///
/// A row for each optimizer, and in a sweep for each point, averaged over the seeds, at most 40: the loss at the last
/// recorded step and its prediction; the error of the tail (the rarest class row), its prediction, and without a sweep that
/// of the head (the most frequent row); and the first recorded step at which every class row, of those listed in
/// run.classes, has error below 0.1, or ">LAST". Without a sweep a diverged optimizer shows its last finite record. Losses
/// in nats. Lines below give step sizes, engines, incomplete runs, estimated errors, and whether every step was recorded.
class ClosingReport {
 public:
  /// `head`: steps and optimizers; `runs`: the number of runs that will be added.
  ClosingReport(const Result& head, std::size_t runs);
  /// The summary of all runs of a result that has the series it needs.
  explicit ClosingReport(const Result& result);
  /// True if the summary needs a series: it is shown, has digits of a shown one, or is an error to check.
  static bool needs(const Variable& variable);
  void add(const Run& run);

  std::string table() const;
  /// The first few different notes of complete runs, each with its first run, and the first few endings of others.
  std::string warnings() const;
  bool any_failed() const { return failed_; }
  bool all_complete() const { return endings_.first.empty(); }

 private:
  struct FirstLines {
    struct Line {
      std::string where, what;  ///< the first run that says it, and the text
      std::size_t times = 1;
    };
    std::string kind;
    std::vector<Line> first = {};
    std::size_t beyond = 0;  ///< further lines
    void add(const std::string& where, const std::string& what);
    /// Each line, prefixed by `start`.
    std::string text(const std::string& start = {}) const;
  };
  /// Updates made one by one by an optimizer whose runs fast-forward.
  struct Updates {
    std::int64_t least, most;
    double error = 0;
  };
  std::vector<std::int64_t> steps_;
  std::vector<std::string> bands_ = {};  ///< of the first run
  bool means_ = false;        ///< cells of several runs are means over samples, and some have predicted ones
  bool other_bands_ = false;  ///< some run has others
  bool squares_;              ///< least squares
  bool partial_ = false;      ///< rows of classes of some run do not stand for all classes
  bool nodes_ = false;        ///< rows of some run are nodes of a quadrature
  std::size_t runs_;
  std::optional<Pivot> pivot_;                               ///< set with the first run
  std::string step_sizes_ = {};                              ///< without a sweep
  std::map<std::string, std::vector<std::string>> engines_;  ///< name -> optimizers
  std::map<std::string, Updates> updates_;                   ///< by optimizer
  FirstLines endings_{"that are not complete"}, notes_{"of runs that are complete"};
  bool any_quadrature_ = false, failed_ = false, chosen_ = false;
  double largest_error_ = 0;
  std::size_t measured_ = 0, trajectories_ = 0;  ///< with digits, and all
};

}  // namespace rarefact
