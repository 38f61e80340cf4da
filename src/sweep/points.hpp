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

/// The points of a plan by index. Point 0 and, up to 64 MiB, the others requested first are kept until they are taken;
/// the rest are made again at every request. Members may be called from several threads.
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
