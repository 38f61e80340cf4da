#pragma once

/// The finished points of a sweep in OUT.h5.points/: records (results/point_record.hpp) one after another in
/// a file XXXXXXXX.points for each process that computed some. A point is named by everything its numbers depend
/// on, so any process on any machine may compute any point, computing it twice is harmless, and a sweep whose
/// axes grew computes only new points.

#include <cstdint>
#include <mutex>

#include "experiment/plan.hpp"
#include "results/point_record.hpp"

namespace rarefact {

/// Locks of points by processes (fcntl, open file descriptions): of one byte each, at an offset given by
/// the point's name, of the empty file OUT.h5.points/running. If a process dies, the system, or the server of a
/// network file system, releases its locks. If locking is unavailable, points may be computed twice, which is
/// harmless.
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

/// Names points. Digests of the files that experiments name are computed once. Thread-safe.
class PointNames {
 public:
  /// The SHA-256 of everything that the numbers of a point depend on: the canonical text of its experiment
  /// without the name, the SHA-256 of the files it names, and the numerics id of this program.
  PointId id(const Experiment& experiment);

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> digests_;
};

/// The names of all points of a plan, by index.
std::vector<PointId> point_ids(const ExperimentPlan& plan, int threads);

class PointStore {
 public:
  /// The store beside a result file: OUT.h5 -> OUT.h5.points. Does not look for points. `optimizers`: their labels;
  /// a record with others is damaged. Empty: any.
  explicit PointStore(const std::filesystem::path& output, std::vector<std::string> optimizers = {});
  PointStore(const PointStore&) = delete;
  PointStore& operator=(const PointStore&) = delete;

  static constexpr std::string_view points_end = ".points";

  const std::filesystem::path& folder() const { return folder_; }
  /// The checkpoint of an unfinished point (sweep/checkpoint_file.hpp).
  std::filesystem::path checkpoint(const PointId& id) const { return folder_ / (id.hex() + ".checkpoint"); }

  /// Looks for points stored since the last look, by the first lines of their records. What follows the last whole
  /// record of a file, torn by a kill or a full disk or damaged, is ignored. Throws FileError if the folder or a file
  /// cannot be read.
  void look();
  /// As look(), if another process may have stored a point: it has a file there, or the folder has changed since.
  void look_for_others();

  /// Declares a file that this process writes: look() does not read it, since its records are added.
  void own(const std::filesystem::path& file) { files_[file].own = true; }
  /// Adds a record of an own file. It is read from memory, unless those in memory have 16 MiB already.
  void add(const PointId& id, const std::filesystem::path& file, std::uint64_t offset,
           std::vector<std::byte> record);

  /// True if a record of the point was found.
  bool has(const PointId& id) const { return places_.contains(id); }
  std::size_t size() const { return places_.size(); }

  /// True if a record of the point is whole. Throws FileError if it cannot be read.
  bool holds(const PointId& id) const;

  /// Reads the point from any whole record; without `verify`, one that this process has verified before. What
  /// it has appended itself it reads from memory, as long as it is kept there. Throws
  /// DamagedResult if none is whole; FileError if a file cannot be read. May be called from several threads.
  PointRecord read(const PointId& id, PointPart part = PointPart::all, bool verify = true) const;

  /// Removes what a result contains: files whose points are all in `joined` and whose process has ended, the
  /// partial result, and the folder if nothing else is in it. Looks first.
  void forget(std::vector<PointId> joined);

  /// The result of the points that exist so far, in the same folder.
  std::filesystem::path partial_result() const { return folder_ / "partial.h5"; }

  /// Removes what killed processes left: temporary files (also of the result), unlocked files without points
  /// that are an hour old, and checkpoints of finished points. Looks first.
  void remove_leftovers();

 private:
  struct Looked {
    std::uint64_t whole = 0, size = 0;  ///< end of the known records, and of the file
    bool own = false;
  };
  struct Place {
    const std::filesystem::path* file;
    std::uint64_t offset, size;
    std::vector<std::byte> kept;  ///< the record, if it is in memory
  };
  void look_at(const std::filesystem::path& file, Looked& looked);

  std::filesystem::path folder_;
  std::vector<std::string> optimizers_;
  std::map<std::filesystem::path, Looked> files_;
  std::multimap<PointId, Place> places_;
  std::size_t kept_bytes_ = 0;
  std::filesystem::file_time_type
      looked_{};  ///< when the folder last changed, if no other process has a file in it
};

}  // namespace rarefact
