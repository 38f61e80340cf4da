#pragma once

/// The points of a plan on their way to numbers: each is parsed, resolved and hashed once.

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "experiment/plan.hpp"
#include "sim/resolve.hpp"
#include "sweep/point_store.hpp"

namespace rarefact {

struct Point {
  std::map<std::string, SweptValue> parameters;  ///< swept key -> value
  Experiment experiment;
  Setup setup;
  PointId id;
};

/// The points of a plan by index. The point 0, and of the others those asked for first, 64 MiB, are kept until they are
/// taken; the points of longer sweeps are made again. Members may be called from several threads.
class PlanPoints {
 public:
  explicit PlanPoints(SweepPlan plan, FileReaders readers = {});

  std::size_t size() const { return plan_.size; }
  const FileReaders& readers() const { return readers_; }
  /// Throws InputError (all problems) if the point cannot run on any machine.
  std::shared_ptr<const Point> at(std::size_t index);
  /// The same, for the last time.
  std::shared_ptr<const Point> take(std::size_t index);

 private:
  const SweepPlan plan_;
  const FileReaders readers_;
  PointNames names_;
  std::mutex mutex_;
  std::map<std::size_t, std::shared_ptr<const Point>> kept_;
  double kept_bytes_ = 0;
};

}  // namespace rarefact
