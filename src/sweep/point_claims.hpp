#pragma once

/// Who computes which point: OUT.h5.points/running, an empty file. Who computes a point holds a lock on bytes of it
/// (fcntl, of an open file), which begin where the point's name says; how many they are says whose file of points is
/// that of the process, so that whoever meets the lock can see whether the process is at work. The system, or the server
/// of a network file system, takes the lock from a process that dies. A courtesy: where it cannot be had, points may be
/// computed twice, which does no harm.

#include <chrono>
#include <cstdint>
#include <filesystem>

#include "results/point_record.hpp"

namespace rarefact {

/// Processes touch their file every minute, so one this old is of a process that is suspended.
inline constexpr std::chrono::minutes recent_touch(5);

class PointClaims {
 public:
  static constexpr const char* name = "running";
  enum class Use { look, take };
  PointClaims(const std::filesystem::path& folder, Use use);
  PointClaims(const PointClaims&) = delete;
  PointClaims& operator=(const PointClaims&) = delete;
  ~PointClaims();

  /// For the process whose file of points has this number; false while another one at work has it.
  bool take(const PointId& id, std::uint32_t number);
  void give_back(const PointId& id);
  /// True if another process at work has it.
  bool taken(const PointId& id) const;

 private:
  bool at_work(std::uint64_t number) const;

  std::filesystem::path folder_;
  int file_ = -1;
};

}  // namespace rarefact
