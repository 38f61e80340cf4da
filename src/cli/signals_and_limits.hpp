#pragma once

/// Requests to stop, memory limits and the processor, as reported by the system.

#include <filesystem>
#include <optional>

#include "sweep/interval_clock.hpp"
#include "sweep/sweep.hpp"

namespace rarefact {

/// While it exists, SIGTERM, SIGINT (a second one ends the process at once) and the end of --max-time are requests to stop,
/// for check(). Ten seconds after one the process ends with exit code 75. Only one may exist at a time.
class StopRequest {
 public:
  explicit StopRequest(std::optional<std::chrono::seconds> max_time);
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;
  ~StopRequest();

  bool requested() const;
  /// Throws StoppedEarly if requested().
  void check() const;
  /// The source of the request: "SIGTERM", "SIGINT" or "--max-time".
  std::string reason() const;
  /// "stopped (SIGTERM): " and how to continue; `place`: " in FOLDER" where the work is known to be stored.
  std::string message(const std::string& place = "") const;

 private:
  void watch();

  std::optional<std::chrono::steady_clock::time_point> deadline_, since_;
  std::optional<IntervalClock> watcher_;
};

/// The name of the processor, "AMD EPYC 9R14"; empty if unknown.
std::string processor_name();

/// The memory that this process may use: nine tenths of the machine's, or of the limit of its control group (a container, a
/// Slurm job) if that is less. Larger runs are refused. `root`: the root of the file system with /proc and /sys.
double memory_limit_bytes(const std::filesystem::path& root = "/");

}  // namespace rarefact
