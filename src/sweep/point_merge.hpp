#pragma once

/// The state of the points of a sweep, and merging them into one result file. Points are read a few at a
/// time, so memory is bounded by the compressed result for any number of points.

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/atomic_file.hpp"
#include "results/joined_points.hpp"
#include "results/result_file.hpp"
#include "sweep/point_store.hpp"
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
  ResultShape shape;                                   ///< their groups at most
  std::vector<std::optional<std::size_t>> kinds = {};  ///< of them, by index

  void count(const std::string& status);
  std::size_t finished() const;
  bool all_there() const { return missing.empty() && damaged.empty(); }
};

/// Looks, and reads every byte of every point that is there. `ids` by index. FileError if the folder or one of the files
/// cannot be read.
PointReport inspect_points(PointStore& store, const std::vector<PointId>& ids, int threads,
                           const StopCheck& check = {});

/// Called with the result before its first run, then with every run in order. Both may be empty.
struct MergeListener {
  std::function<void(const Result& head)> begin;
  std::function<void(const Run& run)> run;
};

/// The bytes of the result file of a plan, the same whoever computed the points, where and in what order. The store is
/// one that has looked.
/// Points that the report does not have are runs of status "missing" without numbers. DamagedResult if one is not there
/// any more.
FileBytes merge_points(const ExperimentPlan& plan, const PointStore& store, const std::vector<PointId>& ids,
                       const PointReport& report, int threads, const MergeListener& listener,
                       const StopCheck& check = {});

}  // namespace rarefact
