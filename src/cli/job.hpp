#pragma once

/// Common parts of the commands that run, merge and inspect experiments.

#include <filesystem>
#include <memory>

#include "cli/command.hpp"
#include "cli/progress.hpp"
#include "sweep/point_merge.hpp"
#include "tables/summary.hpp"

namespace rarefact {

/// A part of a sweep divided into `of` equal parts: 0 <= index < of.
struct Shard {
  std::size_t index = 0;
  std::size_t of = 1;
};

/// An experiment file, the place of its result, and options for running it.
struct Job {
  Arguments arguments;  ///< options that only one place reads
  std::string file;
  ExperimentPlan plan = {};
  std::filesystem::path output = {};
  std::vector<std::string> optimizers = {};  ///< their labels
  FileReaders readers = {};
  int threads = 1;
  std::optional<Shard> shard = {};  ///< compute this part and do not merge
  ProgressStyle progress = {};

  bool sweep() const { return !plan.axes().empty(); }
  PointStore store() const { return PointStore(output, optimizers); }
  std::filesystem::path points_folder() const { return store().folder(); }
};

std::vector<Option> job_options(const std::string& command);

/// The operand of every command on an experiment.
inline const Operands experiment_operand = {
    .name = "EXPERIMENT.toml",
    .meaning = "the experiment file; rarefact init writes one to start from; -: standard input"};

/// --jobs, by default and at most one for each core.
int thread_count(const Arguments& arguments);

/// Reads options and experiment and calls `body`; its problems get a position, or the file's name. Throws InputError,
/// FileError.
ExitCode with_job(const Arguments& arguments, const Streams& streams,
                  const std::function<ExitCode(const Job& job)>& body);

/// "3h50m": whole numbers with d, h, m or s in this order, each at most once. nullopt for other texts.
std::optional<std::chrono::seconds> parse_duration(const std::string& text);

/// The state before a plan runs: the engines of its points, which points exist, and which this process computes.
struct PlanStart {
  std::unique_ptr<PlanPoints> points;
  std::string lines = {};  ///< the axes and the engines, for a person
  SweepSurvey survey = {};
  SweepThreads threads = {};  ///< points that need much memory run one by one, with all threads
  PointReport report = {};

  /// The points of this process, and the missing or damaged ones of them, which it computes; longest first, without
  /// repetition.
  std::vector<std::size_t> share = {}, missing = {};
  std::vector<DamagedPoint> damaged = {};
  std::size_t finished() const { return share.size() - missing.size(); }
};

/// Shards divide the whole plan, longest point first, so that the shard of a point depends on nothing else.
/// Throws InputError if a point cannot run on any machine, or if a missing point of this process needs more
/// memory than available; points of other processes, perhaps on larger machines, are not checked for memory.
PlanStart start_plan(const Job& job, const StopCheck& check = {});

/// Prints the output of --dry-run: the resolved experiment with its engines; of a sweep its axes, the finished and missing
/// points (of the shard), their cost, and the first two experiments; or all as JSON. Errors as for start_plan.
ExitCode dry_run(const Job& job, bool json, const Streams& streams);

/// {"event": "plan", "output", "points", "done", "axes" or "engines", ...}.
Json plan_event(const Job& job, const PlanStart& start);

/// Largest number of missing or damaged points named in a message.
inline constexpr std::size_t max_named = 20;

/// Merges the points of a sweep into one result file, verifying those of other processes, and removes them from the
/// store. Throws DamagedResult with the first missing or damaged points.
ExitCode merge_job(const Job& job, PointStore& store, const std::vector<PointId>& ids, const StopCheck& check,
                   const Streams& streams);

/// Calls `body`, which merges points. If points or their folder are missing because another process has merged and
/// removed them, reports that process's result instead. Throws what `body` throws, or the errors of that report.
ExitCode unless_there(const Job& job, const Streams& streams, const std::function<ExitCode()>& body);

/// The existing points of a sweep: in its result, or else in files.
PointReport points_there(const Job& job, const std::vector<PointId>& ids, const StopCheck& check = {});

/// Prints the summary on stdout, and warnings. The exit code is check_failed if a run failed, but not if one diverged.
ExitCode print_closing(const ClosingReport& report, const Job& job, const Streams& streams);

/// The same for an existing result, whose checksum is written if it is missing. Throws InputError if it is
/// the result of another experiment, DamagedResult.
ExitCode report_earlier_result(const Job& job, const Streams& streams);

/// OUT.h5.log.json: the resources that this process uses from now on, the machine, the command, and data for conference
/// checklists. It is not part of the result, and no program reads it.
class RunLog {
 public:
  explicit RunLog(const Job& job);

  /// Adds this process to the log of the result. A shard has its own log, OUT.h5.log-0-of-4.json, because
  /// others may run at the same time. `ending`: "done", "stopped". Only warns if the log cannot be written.
  void write(std::size_t computed, const std::string& ending, const Streams& streams) const;

  /// Joins the logs of shards with that of the result.
  static void join_shards(const Job& job, const Streams& streams);

 private:
  const Job& job_;
  const std::chrono::system_clock::time_point started_ = std::chrono::system_clock::now();
  const double cpu_seconds_;
};

}  // namespace rarefact
