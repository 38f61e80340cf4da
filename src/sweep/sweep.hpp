#pragma once

/// Many experiments as one: whether the points of a sweep can run, and running them.

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "experiment/plan.hpp"
#include "rarefact/error.hpp"
#include "rarefact/result.hpp"
#include "sim/simulate.hpp"

namespace rarefact {

/// Called between points and from time to time within them, in any thread; throws StoppedEarly when it is
/// time to stop. May be empty.
using StopCheck = std::function<void()>;

/// What stands before a sweep: whether every point can run, and on what.
struct SweepSurvey {
  struct Refusal {
    std::size_t index;
    std::map<std::string, SweptValue> parameters;
    std::vector<Problem> problems;
  };
  std::vector<Refusal> refusals;       ///< the first ten points that cannot run on any machine, in order
  std::size_t refused = 0;             ///< how many they are
  std::vector<std::size_t> too_large;  ///< ascending: points that need more memory than there is
  double largest_memory = 0;           ///< bytes that any other point holds at most
  /// By index, how long a point takes on two cores: a guess within a factor of a few, the same on every
  /// machine; 0 where it cannot run.
  std::vector<double> seconds;
  std::vector<double> disk_bytes;  ///< by index: of the file of a point, and at most that in the result
  /// Optimizer -> engine -> points.
  std::map<std::string, std::map<std::string, std::size_t>> engines;
};

/// Called with every point that can run on some machine, in any order and from several threads. May be empty.
using PointVisitor = std::function<void(std::size_t index, const SweepPoint& point)>;

/// Resolves every point and runs nothing.
SweepSurvey survey_sweep(const SweepPlan& plan, const FileReaders& readers, double memory_limit_bytes,
                         int threads, const PointVisitor& visit = {}, const StopCheck& check = {});

/// The indices with the longest points first, equal ones in order: so that the last ones are short, and all
/// threads end at about the same time.
std::vector<std::size_t> longest_first(std::vector<std::size_t> indices, const std::vector<double>& seconds);

/// How many threads there are, and how many points may run at a time (>= 1; they may need much memory). With
/// fewer points left than threads, threads work within points.
struct SweepThreads {
  int threads = 1;
  int concurrent = 1;
};

/// What becomes of a point whose turn it is: `later` once the others had theirs, then again until it is something else.
enum class Turn { compute, skip, later };
/// Decides it, in any thread. May be empty: all are computed.
using TurnOf = std::function<Turn(std::size_t index)>;

/// Takes the result of a point: one run, with index and parameters. Called from several threads at once.
using PointSink = std::function<void(const SweepPoint& point, Result result)>;

/// Opens the checkpoints of a point. May be empty.
using CheckpointOpener = std::function<std::unique_ptr<Checkpoints>(std::size_t index)>;

/// Runs these points, begun in this order, and gives each result to `sink`. StoppedEarly from `check` reaches the caller
/// once the points in flight have noticed it, at their next step.
void run_points(const SweepPlan& plan, const std::vector<std::size_t>& indices, const FileReaders& readers,
                const SweepThreads& threads, const PointSink& sink, const TurnOf& turn_of = {},
                const StopCheck& check = {}, const CheckpointOpener& checkpoints = {});

}  // namespace rarefact
