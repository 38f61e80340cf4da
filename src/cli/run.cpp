#include "cli/job.hpp"
#include "cli/signals_and_limits.hpp"
#include "sweep/checkpoint_file.hpp"
#include "sweep/point_writer.hpp"

namespace rarefact {

namespace {

/// Computes what is missing: points of a sweep into the store, the single point of other experiments into the
/// returned result. `computed`: number of computed points, also after StoppedEarly.
Result compute_missing(const Job& job, PointStore& store, PlanStart& start, const StopRequest& stop,
                       ProgressPrinter& printer, std::size_t& computed) {
  const IntervalClock clock{*parse_duration(job.arguments.text("checkpoint", "60s"))};
  const auto checkpoints = [&](std::size_t index) {
    return std::make_unique<CheckpointFiles>(store, start.survey.ids[index], clock,
                                             [&](const std::string& line) { printer.say(line); });
  };
  if (!job.sweep()) {
    const auto progress = [&](const std::string& optimizer, std::int64_t done, std::int64_t of) {
      stop.check();
      printer(optimizer, done, of);
    };
    const auto point = start.points->take(0);
    Result result =
        simulate(point->experiment, point->setup, job.readers, job.threads, {progress, checkpoints(0).get()});
    computed = 1;
    return result;
  }
  printer.begin_points(start.share.size(), start.finished());
  std::atomic<std::size_t> elsewhere = 0;  // points stored by other processes meanwhile
  PointWriter writer(store, [&](std::size_t stored) {
    computed = std::max(computed, stored);
    printer.points(start.finished() + elsewhere + stored);
  });
  const auto turn_of = [&](std::size_t index) {
    const Turn turn = writer.begin(start.survey.ids[index]);
    if (turn != Turn::later) printer.point_begun();
    if (turn == Turn::skip) ++elsewhere;
    // Another process may have merged all points and removed them.
    if (turn == Turn::compute && std::filesystem::exists(job.output))
      throw DamagedResult(job.output.string() + ": was written meanwhile");
    return turn;
  };
  try {
    run_points(
        *start.points, start.missing, start.threads, writer.sink(), turn_of, [&] { stop.check(); },
        checkpoints);
  } catch (const StoppedEarly&) {
    writer.finish();
    throw;
  }
  writer.finish();
  printer.points(start.finished() + elsewhere + computed);
  return {};
}

/// Stores the points of this sweep that other results contain, and warns of results that contain none. All are read
/// before the first point is stored, so that InputError, FileError and DamagedResult leave no point behind.
std::string reuse_points(const Job& job, const std::vector<PointId>& ids) {
  const std::set<PointId> all(ids.begin(), ids.end());
  const auto wanted = [&](const std::optional<PointId>& id) { return id && all.contains(*id); };
  std::vector<std::string> files;
  std::string warnings;
  for (const std::string& file : job.arguments.all("reuse")) {
    const Result result = read_result(file);
    if (result.points.empty()) throw InputError(file + ": is not the result of a sweep");
    const JoinedPoints points = joined_points(result);
    if (std::ranges::any_of(points.of_runs, [&](const auto& run) { return wanted(run.first); })) {
      if (result.optimizers != job.optimizers)
        throw DamagedResult(file + ": its optimizers are not those of the points it has");
      files.push_back(file);
    } else {
      warnings += fmt::format(
          "warning: --reuse: {} has no point in common with this sweep: another experiment, other numerics, or another "
          "choice of measures (digits and spectral_metrics = \"auto\" measure less in a sweep of more than {} points)\n",
          file, max_measured_points);
    }
  }
  if (files.empty()) return warnings;
  PointStore store = job.store();
  PointWriter writer(store, {});
  const auto begin = [&](const PointId& id) { return wanted(id) && writer.begin(id) == Turn::compute; };
  for (const std::string& file : files)
    take_apart(read_result(file), begin,
               [&](const PointId& id, Result point) { writer.put(id, std::move(point)); });
  writer.finish();
  return warnings;
}

/// Removes the checkpoints of an experiment without a sweep, once its result exists.
void forget_checkpoints(const Job& job) {
  PointStore store = job.store();
  if (job.sweep() || !std::filesystem::exists(store.folder())) return;
  remove_checkpoint(store, point_ids(job.plan, 1).front());
  store.remove_leftovers();
  std::error_code not_empty;
  std::filesystem::remove(store.folder(), not_empty);
}

/// Computes what is missing. Points of a sweep are stored and then merged; other experiments write their result.
ExitCode run_plan(const Job& job, const StopRequest& stop, const Streams& streams) {
  const StopCheck check = [&] { stop.check(); };
  PlanStart start = start_plan(job, check);
  require_writable(job.output);
  PointStore store = job.store();
  store.remove_leftovers();
  if (job.arguments.has("reuse")) {  // after checking all points: bad input writes nothing
    tell(streams.err, job.progress, reuse_points(job, start.survey.ids));
    start = start_plan(job, check);
  }
  if (job.progress.events) print_event(streams.err, plan_event(job, start));
  std::string lines = job.progress.events ? "" : start.lines;
  for (const DamagedPoint& point : start.damaged)
    lines += fmt::format("warning: {}; it is computed again\n", point.what);
  if (const std::size_t there = start.finished(); there > 0)
    lines += fmt::format("{} {} there already\n", counted(there, "point"), there == 1 ? "is" : "are");
  tell(streams.err, job.progress, lines);
  Result result;
  const RunLog log(job);
  std::size_t computed = 0;
  const auto end = [&](ExitCode code) {
    if (computed > 0) log.write(computed, "done", streams);
    return code;
  };
  if (!start.missing.empty()) {
    try {
      ProgressPrinter printer(streams.err, job.progress);
      result = compute_missing(job, store, start, stop, printer, computed);
    } catch (const StoppedEarly&) {
      log.write(computed, "stopped", streams);
      throw;
    }
  }
  if (job.shard) {
    tell(streams.err, job.progress,
         fmt::format("shard {}/{}: its points are done, {} of them now; rarefact merge joins all\n",
                     job.shard->index, job.shard->of, computed));
    return end(ExitCode::done);
  }
  if (job.sweep()) return end(merge_job(job, store, start.survey.ids, check, streams));
  result.experiment = resolved_text(job.plan);
  write_result(result, job.output);
  forget_checkpoints(job);
  return end(print_closing(ClosingReport(result), job, streams));
}

ExitCode run_experiment(const Arguments& arguments, const Streams& streams) {
  const bool json = arguments.has("json");
  if (json && !arguments.has("dry-run"))
    throw InputError("--json: only with --dry-run; for a run use --progress json");
  if (arguments.has("dry-run"))
    return with_job(arguments, streams, [&](const Job& job) { return dry_run(job, json, streams); });
  const StopRequest stop(parse_duration(arguments.text("max-time")));  // reading a large plan counts, too
  return with_job(arguments, streams, [&](const Job& job) {
    if (std::filesystem::is_regular_file(job.output)) {
      const ExitCode code = report_earlier_result(job, streams);
      forget_checkpoints(job);
      return code;
    }
    try {
      return unless_there(job, streams, [&] { return run_plan(job, stop, streams); });
    } catch (const StoppedEarly&) {
      tell(streams.err, job.progress, stop.message(" in " + job.points_folder().string()));
      return ExitCode::stopped_early;
    }
  });
}

}  // namespace

Command run_command() {
  return {
      .name = "run", .operands = experiment_operand, .options = job_options("run"), .run = run_experiment};
}

}  // namespace rarefact
