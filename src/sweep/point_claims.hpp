#pragma once

/// Claims of points by processes: locks (fcntl, open file descriptions) of one byte each, at an offset given by
/// the point's name, of the empty file OUT.h5.points/running. If a process dies, the system, or the server of a
/// network file system, releases its locks. If locking is unavailable, points may be computed twice, which is
/// harmless.

#include <filesystem>

#include "results/point_record.hpp"

namespace rarefact {

class PointClaims {
 public:
  static constexpr const char* name = "running";
  enum class Use { look, take };
  PointClaims(const std::filesystem::path& folder, Use use);
  PointClaims(const PointClaims&) = delete;
  PointClaims& operator=(const PointClaims&) = delete;
  ~PointClaims();

  /// Claims the point; false if another process has it.
  bool take(const PointId& id);
  void give_back(const PointId& id);
  /// True if another process has claimed the point.
  bool taken(const PointId& id) const;

 private:
  int file_ = -1;
};

}  // namespace rarefact
