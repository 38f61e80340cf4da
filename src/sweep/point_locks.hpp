#pragma once

/// Locks of points by processes (fcntl, open file descriptions): of one byte each, at an offset given by
/// the point's name, of the empty file OUT.h5.points/running. If a process dies, the system, or the server of a
/// network file system, releases its locks. If locking is unavailable, points may be computed twice, which is
/// harmless.

#include <filesystem>

#include "results/point_record.hpp"

namespace rarefact {

class PointLocks {
 public:
  static constexpr const char* name = "running";
  enum class Use { look, take };
  PointLocks(const std::filesystem::path& folder, Use use);
  PointLocks(const PointLocks&) = delete;
  PointLocks& operator=(const PointLocks&) = delete;
  ~PointLocks();

  /// Locks the point; false if another process has it.
  bool take(const PointId& id);
  void give_back(const PointId& id);
  /// True if another process has locked the point.
  bool taken(const PointId& id) const;

 private:
  int file_ = -1;
};

}  // namespace rarefact
