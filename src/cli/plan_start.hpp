#pragma once

// What stands before a plan is run: on what its points run, and which of them this process computes.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/job.hpp"
#include "sweep/point_merge.hpp"

namespace rarefact {

/// Engines and names of all points, in the order of the plan.
struct PlanStart {
  std::vector<PointId> ids;
  std::string lines;                ///< the axes and the engines, for a person
  SweepSurvey survey = {};          ///< of a sweep
  std::optional<Setup> setup = {};  ///< of the only point of an experiment without one
};

/// InputError if a point cannot run on any machine, or the only point of a plan without axes not on this one.
PlanStart start_plan(const Job& job, const StopCheck& check = {});

/// The points that this process is to see to, and those of them it has to compute (missing or damaged); both longest
/// first, every different point once.
struct Share {
  std::vector<std::size_t> all, missing;
  std::vector<DamagedPoint> damaged;
  std::size_t finished() const { return all.size() - missing.size(); }
};

/// Shards deal the whole plan out with the longest point first, so that which part a point belongs to depends
/// on nothing else. InputError if a point that is missing needs more memory than there is; which points another
/// process has to compute, perhaps on a larger machine, is no concern of this one.
Share share_of(const Job& job, const PlanStart& start, const PointReport& report);

/// Points that need much memory run one after another, with all threads inside each.
SweepThreads threads_for(const Job& job, const PlanStart& start);

/// Prints what --dry-run says: the resolved experiment with its engines; of a sweep its axes, how many of the points,
/// or of those of the shard, are done and missing, how much the missing ones take, and the first two resolved
/// experiments. Errors as start_plan and share_of.
ExitCode dry_run(const Job& job, const Streams& streams);

/// "point 5 (classes.exponent = 1.5)".
std::string point_name(const ExperimentPlan& plan, std::size_t index);

}  // namespace rarefact
