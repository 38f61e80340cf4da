#pragma once

/// The state of the points of a sweep, and merging them into one result file. Points are read a few at a
/// time, so memory is bounded by the compressed result.

#include "results/joined_points.hpp"
#include "results/result_file.hpp"
#include "sweep/sweep.hpp"

namespace rarefact {

struct DamagedPoint {
  std::size_t index;
  std::string what;  ///< "place: why"
};

/// The state of the points of a plan.
struct PointReport {
  std::size_t complete = 0;
  std::map<std::string, std::size_t> incomplete;       ///< status, such as diverged -> number of points
  std::vector<std::size_t> missing;                    ///< ascending
  std::size_t running = 0;                             ///< number of missing points that are being computed
  std::vector<DamagedPoint> damaged;                   ///< ascending
  MergedSchema head;                                   ///< of the intact points
  ResultShape shape;                                   ///< wide enough for all of them
  std::vector<std::optional<std::size_t>> kinds = {};  ///< kinds of the intact points, by index

  void count(const std::string& status);
  std::size_t finished() const;
  bool all_there() const { return missing.empty() && damaged.empty(); }
};

/// Looks for points, and verifies every byte of those found. `ids` by index. Throws FileError if the folder
/// or one of the files cannot be read.
PointReport inspect_points(PointStore& store, const std::vector<PointId>& ids, int threads,
                           const StopCheck& check = {});

/// Called with the result before its first run, then with every run in order. Both may be empty.
struct MergeListener {
  std::function<void(const Result& head)> begin;
  std::function<void(const Run& run)> run;
};

/// The bytes of the result file of a plan, which do not depend on who computed the points, where and in what
/// order. The store must have looked. Points that the report lacks become runs of status "missing" without
/// numbers. Throws DamagedResult if a reported point no longer exists.
FileBytes merge_points(const ExperimentPlan& plan, const PointStore& store, const std::vector<PointId>& ids,
                       const PointReport& report, int threads, const MergeListener& listener,
                       const StopCheck& check = {});

}  // namespace rarefact
