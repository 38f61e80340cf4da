#pragma once

/// What the system asks of this process, allows it and is: to stop early, memory, the processor.

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "sweep/interval_clock.hpp"
#include "sweep/sweep.hpp"

namespace rarefact {

/// While it lives, SIGTERM and SIGINT are requests to stop (a second SIGINT ends the process at once), and so
/// is the end of --max-time. Whoever computes asks check(). What has not ended ten seconds after the request,
/// such as one very long step, is ended with the process: exit code 75. Nothing that is finished is lost. At
/// most one lives at a time.
class StopRequest {
 public:
  /// `resume`: what to say when the process is ended.
  StopRequest(std::optional<std::chrono::seconds> max_time, std::string resume);
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;
  ~StopRequest();

  bool asked() const;
  /// StoppedEarly if asked().
  void check() const;
  /// What asked: "SIGTERM", "SIGINT" or "--max-time".
  std::string reason() const;
  /// "stopped (SIGTERM): " and how to go on.
  std::string message() const;

 private:
  void watch();

  const std::string resume_;
  std::optional<std::chrono::steady_clock::time_point> deadline_, since_;
  std::optional<IntervalClock> watcher_;
};

/// "AMD EPYC 9R14"; empty where the system does not say.
std::string processor_name();

/// How much memory this process may use: nine tenths of the machine's, or of what the control group of the process is
/// allowed (a container, a job of Slurm), if that is less. It refuses what does not fit, and changes no result.
/// `root`: of the file system with /proc and /sys.
double memory_limit_bytes(const std::filesystem::path& root = "/");

}  // namespace rarefact
