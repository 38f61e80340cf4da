#pragma once

/// The finished points of a sweep: OUT.h5.points/, records of points (results/point_record.hpp) one after another in
/// a file for each process that computed some, NNNNN.points. A point is named by what its numbers are a function of. So
/// any process on any machine may compute any point, twice does no harm, and a sweep whose axes grew computes only what
/// is new.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/plan.hpp"
#include "results/point_record.hpp"

namespace rarefact {

/// Names points. Digests of the files that experiments name are computed once. Thread-safe.
class PointNames {
 public:
  /// The SHA-256 of what the numbers of a point are a function of: the canonical text of its experiment without the
  /// name, the SHA-256 of the files it names, and the numerics id of this program.
  PointId id(const Experiment& experiment);

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> digests_;
};

/// The names of all points of a plan, by index.
std::vector<PointId> point_ids(const ExperimentPlan& plan, int threads);

class PointStore {
 public:
  /// The store beside a result file: OUT.h5 -> OUT.h5.points. Nothing is looked at yet.
  explicit PointStore(const std::filesystem::path& output);
  PointStore(const PointStore&) = delete;
  PointStore& operator=(const PointStore&) = delete;

  static constexpr std::string_view points_end = ".points";

  const std::filesystem::path& folder() const { return folder_; }
  /// The checkpoint of an unfinished point, and the one before (sweep/checkpoint_file.hpp).
  std::filesystem::path checkpoint(const PointId& id) const { return folder_ / (id.hex() + ".checkpoint"); }
  std::filesystem::path older_checkpoint(const PointId& id) const {
    return folder_ / (id.hex() + ".checkpoint.old");
  }

  /// Looks for points that were stored since it looked last, by the first lines of their records. What a kill or a full
  /// disk left of a record at the end of a file is none; behind one whose line is damaged the next whole one is found.
  /// FileError if the folder or a file cannot be read.
  void look();

  /// True if there is a record of the point, as far as was looked.
  bool has(const PointId& id) const { return places_.contains(id); }
  std::size_t size() const { return places_.size(); }

  /// True if one of them is whole. FileError if it cannot be read.
  bool holds(const PointId& id) const;

  /// The point, from any record that is whole. DamagedResult if none is; FileError if a file cannot be read. May be
  /// called from several threads.
  PointRecord read(const PointId& id, PointPart part = PointPart::all) const;

  /// Removes what a result has: files all of whose points are among these (sorted) and whose process is over, the result
  /// of some of them, and the folder where nothing else is in it. Looks first.
  void forget(const std::vector<PointId>& joined);

  /// The result of the points that are there, beside them.
  std::filesystem::path partial_result() const { return folder_ / "partial.h5"; }

  /// Removes what killed processes left: temporary files, those of the result too, and files without points that are an
  /// hour old and no process has locked, and checkpoints of finished points. Looks first.
  void remove_leftovers();

 private:
  struct Looked {
    std::uint64_t whole = 0, size = 0;  ///< where the records that are known end, and the file did
  };
  struct Place {
    const std::filesystem::path* file;
    std::uint64_t offset, size;
  };
  void look_at(const std::filesystem::path& file, Looked& looked);

  std::filesystem::path folder_;
  std::map<std::filesystem::path, Looked> files_;
  std::multimap<PointId, Place> places_;
};

}  // namespace rarefact
