#pragma once

/// OUT.h5.log.json: the cost of computing a result, the machine, the command, and data for conference
/// checklists. It is not part of the result, and no program reads it.

#include <chrono>
#include <string>

#include "cli/job.hpp"

namespace rarefact {

/// Measures the resources that this process uses from now on.
class RunLog {
 public:
  explicit RunLog(const Job& job);

  /// Adds this process to the log of the result. A shard has its own log, OUT.h5.log-0-of-4.json, because
  /// others may run at the same time. `ending`: "done", "stopped". Only warns if the log cannot be written.
  void write(std::size_t computed, const std::string& ending, const Streams& streams) const;

  /// Joins the logs of shards with that of the result.
  static void join_shards(const Job& job, const Streams& streams);

 private:
  const Job& job_;
  const std::chrono::system_clock::time_point started_ = std::chrono::system_clock::now();
  const double cpu_seconds_;
};

}  // namespace rarefact
