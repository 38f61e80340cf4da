#pragma once

/// Claims of points by processes: locks (fcntl, open file descriptions) on byte ranges of the empty file
/// OUT.h5.points/running. A range starts at an offset given by the point's name; its length is the number of
/// the process's file of points, so that whoever meets the lock can see whether that process is active. If a
/// process dies, the system, or the server of a network file system, releases its locks. If locking is
/// unavailable, points may be computed twice, which is harmless.

#include <chrono>
#include <cstdint>
#include <filesystem>

#include "results/point_record.hpp"

namespace rarefact {

/// Processes touch their file every minute; one with an older file is taken for suspended.
inline constexpr std::chrono::minutes recent_touch(5);

class PointClaims {
 public:
  static constexpr const char* name = "running";
  enum class Use { look, take };
  PointClaims(const std::filesystem::path& folder, Use use);
  PointClaims(const PointClaims&) = delete;
  PointClaims& operator=(const PointClaims&) = delete;
  ~PointClaims();

  /// Claims the point for the process with this file number; false if another active process has it.
  bool take(const PointId& id, std::uint32_t number);
  void give_back(const PointId& id);
  /// True if another active process has claimed the point.
  bool taken(const PointId& id) const;

 private:
  bool at_work(std::uint64_t number) const;

  std::filesystem::path folder_;
  int file_ = -1;
};

}  // namespace rarefact
