#pragma once

/// The finished points of a sweep: OUT.h5.points/, one immutable file a point, named by what its numbers are
/// a function of. So any process on any machine may compute any point, twice does no harm, and a sweep whose
/// axes grew computes only what is new.

#include <algorithm>
#include <array>
#include <chrono>
#include <compare>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/plan.hpp"
#include "results/point_file.hpp"

namespace rarefact {

/// The name of a point: the hexadecimal digits of a SHA-256.
struct PointId {
  std::array<char, 64> digits{};
  auto operator<=>(const PointId&) const = default;
  std::string hex() const { return {digits.data(), digits.size()}; }
};

/// Names points. Digests of the files that experiments name are computed once. Thread-safe.
class PointNames {
 public:
  /// What the numbers of a point are a function of: the canonical text of its experiment without the name,
  /// the SHA-256 of the files it names, and the numerics id of this program.
  std::string canonical_text(const Experiment& experiment);
  /// The SHA-256 of canonical_text.
  PointId id(const Experiment& experiment);

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> digests_;
};

/// The names of all points of a plan, by index.
std::vector<PointId> point_ids(const ExperimentPlan& plan, int threads);

/// What is in a folder of points, by its names alone.
struct PointListing {
  std::vector<PointId> present;  ///< sorted
  std::vector<PointId> running;  ///< sorted: a process said in the last minutes that it computes the point
  bool has(const PointId& id) const { return std::ranges::binary_search(present, id); }
  bool is_running(const PointId& id) const { return std::ranges::binary_search(running, id); }
};

/// Marks are touched every minute, so one this old is of a process that is no more, or is suspended.
inline constexpr std::chrono::minutes recent_mark(5);

class PointStore {
 public:
  /// The store beside a result file: OUT.h5 -> OUT.h5.points.
  explicit PointStore(const std::filesystem::path& output);

  const std::filesystem::path& folder() const { return folder_; }
  std::filesystem::path path(const PointId& id) const { return file(id, point_end); }
  /// The file that says that a process computes the point; its time of change is kept recent.
  std::filesystem::path mark(const PointId& id) const { return file(id, mark_end); }
  /// The files of a point that is not finished: where it stood last, and before (sweep/checkpoint_file.hpp).
  std::filesystem::path checkpoint(const PointId& id) const { return file(id, checkpoint_end); }
  std::filesystem::path older_checkpoint(const PointId& id) const { return file(id, older_checkpoint_end); }

  /// One pass over the folder; empty if there is none. FileError if it cannot be read.
  PointListing list() const;

  /// Whether the point is there, and whole. FileError if it cannot be read.
  bool holds(const PointId& id) const;

  /// DamagedResult if the file is not whole; FileError if it cannot be read.
  PointFile read(const PointId& id, PointPart part = PointPart::all) const;

  /// Gives a folder that has the name of a point another name, NAME.folder, since no file can replace it.
  /// FileError if that fails.
  void make_way(const PointId& id) const;

  /// Removes temporary files, those of the result too, that are an hour old and no process has locked, marks that nobody
  /// has touched for an hour, and checkpoints of finished points: what killed processes left.
  void remove_leftovers() const;

 private:
  static constexpr std::string_view point_end = ".point", mark_end = ".running",
                                    checkpoint_end = ".checkpoint", older_checkpoint_end = ".checkpoint.old";
  std::filesystem::path file(const PointId& id, std::string_view end) const {
    return folder_ / id.hex().append(end);
  }

  std::filesystem::path folder_;
};

}  // namespace rarefact
