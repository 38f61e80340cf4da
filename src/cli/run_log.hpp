#pragma once

/// OUT.h5.log.json: what computing a result took, where and by what command, and what the checklists of conferences ask.
/// It is no part of the result: nothing reads it but people and their papers.

#include <chrono>
#include <string>

#include "cli/job.hpp"

namespace rarefact {

/// Notes what a process spends from here on.
class RunLog {
 public:
  explicit RunLog(const Job& job);

  /// Adds this process to the log of the result; that of a shard, which others may be beside, to a log of its own,
  /// OUT.h5.log-0-of-4.json. `ending`: "done", "stopped". A log that cannot be written is a warning.
  void write(std::size_t computed, const std::string& ending, const Streams& streams) const;

  /// Makes the logs of shards part of that of the result.
  static void join_shards(const Job& job, const Streams& streams);

 private:
  const Job& job_;
  const std::chrono::system_clock::time_point started_ = std::chrono::system_clock::now();
  const double cpu_seconds_;
};

}  // namespace rarefact
