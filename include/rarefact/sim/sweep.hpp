#pragma once

/// Many experiments as one: the points of a sweep are run, and their results joined in the order of the plan.

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "rarefact/core/error.hpp"
#include "rarefact/sim/experiment.hpp"
#include "rarefact/sim/result.hpp"
#include "rarefact/sim/simulate.hpp"

namespace rarefact {

/// One point of a plan.
struct SweepPoint {
  std::map<std::string, SweptValue> parameters;  ///< swept key -> value
  Experiment experiment;
};

/// A plan: how many points, and each by its index. `point` may be called from several threads at once, and is
/// called when a point is about to be needed, so that a plan of any length takes no memory.
struct SweepPlan {
  std::size_t size = 0;
  std::function<SweepPoint(std::size_t index)> point;
};

/// Called after every finished point. May be empty.
using SweepProgress = std::function<void(std::size_t done, std::size_t of)>;

/// What stands before a sweep: whether every point can run, and on what.
struct SweepSurvey {
  struct Refusal {
    std::size_t index;
    std::map<std::string, SweptValue> parameters;
    std::vector<Problem> problems;
  };
  std::vector<Refusal> refusals;  ///< the first ten points that cannot run, in order
  std::size_t refused = 0;        ///< how many points cannot run
  double largest_memory = 0;      ///< bytes, of the optimizer of any point that needs most
  /// Optimizer -> engine -> points.
  std::map<std::string, std::map<std::string, std::size_t>> engines;
};

/// Chooses the engines of every point (choose_engines) and runs nothing.
SweepSurvey survey_sweep(const SweepPlan& plan, const FileReaders& readers, double memory_limit_bytes,
                         int threads);

/// Runs every point: `concurrent` >= 1 of them at a time, and where that is less than `threads` with the rest
/// of the threads inside each point. Neither changes a bit of the result. The returned Result has an empty
/// `experiment` text, and is joined_results of the points'.
Result run_sweep(const SweepPlan& plan, const FileReaders& readers, int threads, int concurrent,
                 const SweepProgress& progress = {});

/// The result of one point: simulate(), with index and parameters in its run.
Result run_point(const SweepPlan& plan, std::size_t index, const FileReaders& readers, int threads);

/// The runs of several results of the same optimizers as one, in their order. Steps are the union of all
/// steps, and a run reads NaN at those it did not record; variables are the union, in order of first
/// appearance, with the theorems and hypotheses of all parts. Precondition: at least one part.
Result joined_results(std::vector<Result> parts);

}  // namespace rarefact
