#pragma once

// Running a plan: computing what is missing, and one result file from all points.

#include "cli/job.hpp"
#include "cli/stop_request.hpp"

namespace rarefact {

/// Computes what is missing. The points of a sweep are stored and then merged; the only point of an experiment without
/// one goes straight to its result. The exit code is stopped_early where a stop was asked for.
ExitCode run_plan(const Job& job, const StopRequest& stop, const Streams& streams);

/// Merges the finished points of a sweep. DamagedResult with the first missing or damaged ones if there are some.
ExitCode merge_plan(const Job& job, const Streams& streams);

/// Takes away what the only point of an experiment without a sweep left where it was stopped, once there is its result.
void forget_checkpoints(const Job& job);

}  // namespace rarefact
