#pragma once

// What ends a run or a merge: the closing table, where the result is, and what did not go well.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "tables/summary.hpp"

namespace rarefact {

/// Collects runs one by one, so that they need not be in memory together.
class Conclusion {
 public:
  /// `head`: steps and optimizers.
  void begin(const Result& head, std::size_t runs);
  void add(const Run& run);

  /// The table on stdout and a warning for each of the first few runs that are not complete. A run that
  /// failed has nothing to show for itself, so the exit code is check_failed; whether one that diverged is an
  /// error is up to the user.
  ExitCode print(const std::filesystem::path& path, bool strict, const Streams& streams) const;

 private:
  std::optional<EndTable> table_;
  std::size_t runs_ = 0, incomplete_ = 0, at_edge_ = 0;
  bool failed_ = false;
  std::vector<std::string> warnings_, edges_;
};

/// The same for a result in memory.
ExitCode conclude(const Result& result, const std::filesystem::path& path, bool strict,
                  const Streams& streams);

/// The same for a result that is there already, whose checksum is written if it is missing. Errors:
/// InputError if it is another experiment's, DamagedResult.
ExitCode conclude_earlier(const std::filesystem::path& path, const std::string& experiment, bool strict,
                          const Streams& streams);

}  // namespace rarefact
