#pragma once

/// Sweeps: checking whether their points can run, and running them.

#include "sim/resolve.hpp"
#include "sim/simulate.hpp"
#include "sweep/point_store.hpp"

namespace rarefact {

/// The points of a plan on their way to numbers: each is parsed, resolved and hashed once.
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

/// Called between points and from time to time within them, in any thread; throws StoppedEarly to stop. May
/// be empty.
using StopCheck = std::function<void()>;

/// The survey before a sweep: which points can run, and on which engines.
struct SweepSurvey {
  struct Refusal {
    std::size_t index;
    std::vector<Problem> problems;
  };
  std::vector<Refusal> refusals;       ///< the first ten points that cannot run on any machine, in order
  std::size_t refused = 0;             ///< their number
  std::vector<std::size_t> too_large;  ///< ascending: points that need more memory than available
  double largest_memory = 0;           ///< largest memory of the other points in bytes
  std::vector<PointId> ids;            ///< by index
  /// By index, the estimated seconds of a point on one processor, the same on every machine; 0 if it cannot
  /// run.
  std::vector<double> seconds;
  std::vector<double> longest;  ///< by index, seconds of the longest single-threaded run
  double largest_result = 0;    ///< largest series of a point in bytes
  /// Optimizer -> engine -> number of points.
  std::map<std::string, std::map<std::string, std::size_t>> engines;
};

/// Resolves every point and runs nothing.
SweepSurvey survey_sweep(PlanPoints& points, double memory_limit_bytes, int threads,
                         const StopCheck& check = {});

/// The number of threads, and of points that may run at a time (>= 1, limited by memory). With fewer points
/// left than threads, several threads share a point.
struct SweepThreads {
  int threads = 1;
  int concurrent = 1;
};

/// The next action for a point; `later`: ask again after the others.
enum class Turn { compute, skip, later };
/// Decides the turn of a point, in any thread. If empty, all points are computed.
using TurnOf = std::function<Turn(std::size_t index)>;

/// Takes the result of a point: one run, with index and parameters. Called from several threads at once.
using PointSink = std::function<void(const Point& point, Result result)>;

/// Opens the checkpoints of a point. May be empty.
using CheckpointOpener = std::function<std::unique_ptr<Checkpoints>(std::size_t index)>;

/// Runs these points, started in this order, and passes each result to `sink`. StoppedEarly from `check`
/// reaches the caller after the running points have stopped, at their next step.
void run_points(PlanPoints& points, const std::vector<std::size_t>& indices, const SweepThreads& threads,
                const PointSink& sink, const TurnOf& turn_of = {}, const StopCheck& check = {},
                const CheckpointOpener& checkpoints = {});

}  // namespace rarefact
