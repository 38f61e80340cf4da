#pragma once

// Sweeps on their point store: computing what is missing, and merging.

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "cli/run_options.hpp"
#include "cli/stop_request.hpp"
#include "experiment/plan.hpp"
#include "sweep/point_merge.hpp"

namespace rarefact {

/// A sweep and where it is kept.
struct SweepFiles {
  std::string experiment_file;
  const ExperimentPlan& plan;
  std::filesystem::path output;
  std::vector<std::string> overrides;  ///< as given to --set
};

/// How a sweep is to be run.
struct SweepOptions {
  int threads = 1;
  ProgressStyle style = ProgressStyle::none;
  bool strict = false;
  std::optional<Shard> shard = {};  ///< compute this part and do not merge
  std::chrono::seconds checkpoint_interval{60};
};

/// Engines and names of all points. InputError if one cannot run on any machine.
struct SweepStart {
  SweepSurvey survey;
  std::vector<PointId> ids;
};
SweepStart start_sweep(const SweepFiles& files, const FileReaders& readers, int threads,
                       const StopCheck& check);

/// Computes what is missing, then merges. The exit code is stopped_early where a stop was asked for.
ExitCode run_stored_sweep(const SweepFiles& files, const FileReaders& readers, const SweepOptions& options,
                          const StopRequest& stop, const Streams& streams);

/// Merges the finished points. DamagedResult with the first missing or damaged ones if there are some.
ExitCode merge_sweep(const SweepFiles& files, const std::vector<PointId>& ids, const SweepOptions& options,
                     const StopCheck& check, const Streams& streams);

/// What --dry-run says: how many of the points, or of those of the shard, are done and missing, how much the
/// missing ones take, and the first two resolved experiments. InputError if one of them needs too much
/// memory.
std::string dry_sweep_text(const SweepFiles& files, const FileReaders& readers, const SweepStart& start,
                           const SweepOptions& options);

/// "point 5 (classes.exponent = 1.5)".
std::string point_name(const ExperimentPlan& plan, std::size_t index);

}  // namespace rarefact
