#pragma once

// What ends a run or a merge: the closing table, where the result is, and what did not go well.

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cli/job.hpp"
#include "tables/summary.hpp"

namespace rarefact {

/// The first few lines of a kind, and how many there were.
struct Warnings {
  std::vector<std::string> lines = {};
  std::size_t count = 0;

  void add(std::string line);
  /// Every line, and "and 3 more ..." where some were left out.
  void print(std::ostream& err, const char* more) const;
};

/// Collects runs one by one, so that they need not be in memory together.
class ClosingReport {
 public:
  /// `head`: steps and optimizers.
  void begin(const Result& head, std::size_t runs);
  void add(const Run& run);

  /// The table on stdout and a warning for each of the first few runs that are not complete. A run that
  /// failed has nothing to show for itself, so the exit code is check_failed; whether one that diverged is an
  /// error is up to the user.
  ExitCode print(const Job& job, const Streams& streams) const;

 private:
  std::optional<EndTable> table_;
  std::size_t runs_ = 0;
  bool failed_ = false;
  Warnings at_edge_, incomplete_;
};

/// The same for a result in memory.
ExitCode report_result(const Result& result, const Job& job, const Streams& streams);

/// The same for a result that is there already, whose checksum is written if it is missing. Errors:
/// InputError if it is another experiment's, DamagedResult.
ExitCode report_earlier_result(const Job& job, const Streams& streams);

}  // namespace rarefact
