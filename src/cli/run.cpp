#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "cli/conclusion.hpp"
#include "cli/memory_limit.hpp"
#include "cli/progress.hpp"
#include "cli/sweep_report.hpp"
#include "cli/sweep_run.hpp"
#include "io/array_file.hpp"
#include "io/atomic_file.hpp"
#include "results/result_file.hpp"
#include "sweep/checkpoint_file.hpp"

namespace rarefact::commands {

namespace {

/// What the only point of an experiment without a sweep has left once there is its result.
void forget_checkpoints(const PointStore& store, const PointId& id) {
  if (!std::filesystem::exists(store.folder())) return;
  remove_checkpoints(store, id);
  store.remove_leftovers();
  std::error_code not_empty;
  std::filesystem::remove(store.folder(), not_empty);
}

ExitCode run_one(const Experiment& experiment, const std::string& text, const std::filesystem::path& path,
                 const FileReaders& readers, const SweepOptions& options, const StopRequest& stop,
                 const Streams& streams) {
  Setup setup = resolve(experiment, readers);
  require_memory(experiment, setup, memory_limit_bytes(), options.threads);
  require_writable(path);
  for (const EngineChoice& choice : setup.engines) streams.err << engine_line(choice);
  const PointStore store(path);
  const PointId id = PointNames().id(experiment);
  const IntervalClock clock(options.checkpoint_interval);
  Result result;
  try {
    ProgressPrinter printer(streams.err, options.style);
    CheckpointFiles checkpoints(store, id, clock, [&](const std::string& line) { printer.say(line); });
    result = simulate(
        experiment, std::move(setup), readers, options.threads,
        [&](const std::string& optimizer, std::int64_t done, std::int64_t of) {
          stop.check();
          printer(optimizer, done, of);
        },
        &checkpoints);
  } catch (const StoppedEarly&) {
    streams.err << stop.message();
    return ExitCode::stopped_early;
  }
  result.experiment = text;
  write_result(result, path);
  forget_checkpoints(store, id);
  return conclude(result, path, options.strict, streams);
}

ExitCode dry_run(const SweepFiles& files, const FileReaders& readers, const SweepOptions& options,
                 const Streams& streams) {
  const ExperimentPlan& plan = files.plan;
  if (!plan.axes().empty()) {
    const SweepStart start = start_sweep(files, readers, options.threads, {});
    streams.out << dry_sweep_text(files, readers, start, options);
    streams.err << survey_lines(start.survey);
    return ExitCode::done;
  }
  const Experiment experiment = plan.point(0).experiment;
  const Setup setup = resolve(experiment, readers);
  require_memory(experiment, setup, memory_limit_bytes(), options.threads);
  streams.out << resolved_text(plan) << "\n";
  for (const EngineChoice& choice : setup.engines) streams.out << "# " << engine_line(choice);
  streams.out << fmt::format("# memory: at most about {}; disk: at most about {}\n",
                             memory_text(setup.memory_bytes(options.threads)),
                             memory_text(disk_bytes(setup.recorded)));
  return ExitCode::done;
}

/// InputError for options that do not go with the experiment.
SweepOptions options_of(const Arguments& arguments, const Streams& streams) {
  SweepOptions options{thread_count(arguments),
                       progress_style(arguments.text("progress", "auto"), streams.err),
                       arguments.has("strict")};
  if (arguments.has("checkpoint"))
    options.checkpoint_interval = parse_duration(arguments.text("checkpoint"), "--checkpoint");
  if (arguments.has("shard"))
    options.shard = parse_shard(arguments.text("shard"), [](const char* name) { return std::getenv(name); });
  return options;
}

ExitCode run_experiment(const Arguments& arguments, const Streams& streams) {
  const std::string& file = arguments.operands().front();
  const SweepOptions options = options_of(arguments, streams);
  std::optional<std::chrono::seconds> max_time;
  if (arguments.has("max-time")) max_time = parse_duration(arguments.text("max-time"));
  const ExperimentPlan plan = read_plan(file, arguments.all("set"));
  const Experiment first = plan.point(0).experiment;
  const bool sweep = !plan.axes().empty();
  if (options.shard && !sweep) throw InputError("--shard: the experiment has no [sweep] to divide");
  const SweepFiles files{file, plan, output_path(arguments, first.name), arguments.all("set")};
  const FileReaders readers = file_readers(first.base_directory);
  return naming_the_file(file, [&] {
    if (arguments.has("dry-run")) return dry_run(files, readers, options, streams);
    const std::string text = resolved_text(plan);
    if (std::filesystem::is_regular_file(files.output)) {
      const ExitCode code = conclude_earlier(files.output, text, options.strict, streams);
      if (!sweep) forget_checkpoints(PointStore(files.output), PointNames().id(first));
      return code;
    }
    const StopRequest stop(max_time, fmt::format("the same command goes on from what is kept in {}",
                                                 PointStore(files.output).folder().string()));
    return sweep ? run_stored_sweep(files, readers, options, stop, streams)
                 : run_one(first, text, files.output, readers, options, stop, streams);
  });
}

}  // namespace

Command run() {
  return {
      .name = "run",
      .summary = "run an experiment and write its result",
      .description =
          "Runs every optimizer of an experiment file and writes measured and predicted trajectories to one "
          "HDF5 file, "
          "results/NAME.h5 unless --output says otherwise. Ends with a table: loss, error of the most "
          "frequent and of "
          "the rarest classes, steps until every class is learned. The same experiment again does nothing "
          "but print "
          "the table; the result of another experiment is never overwritten. A file with [sweep] is run at "
          "every "
          "point of its grid, into one file (rarefact explain sweep). Every finished point is kept in "
          "FILE.h5.points: after a stop or a kill the same command computes only what is missing "
          "(docs/sweeps.md).",
      .operands = experiment_operand(),
      .options =
          {output_option(),
           set_option(),
           jobs_option(),
           {.name = "shard",
            .value = "I/N",
            .meaning = "of a sweep compute only part I of N, 0 <= I < N, and do not merge; slurm: the part "
                       "of this task of a Slurm job array"},
           {.name = "max-time",
            .value = "TIME",
            .meaning = "stop after this time, such as 3h50m, 90s or 2d, with exit code 75; the same command "
                       "goes on from there"},
           {.name = "checkpoint",
            .value = "TIME",
            .meaning = "how often the state of a long run is kept in FILE.h5.points, by default every 60s; "
                       "after a kill the same command goes on from there, to the same bytes"},
           {.name = "dry-run",
            .meaning =
                "print the experiment with all its defaults, and for each optimizer the engine, why that "
                "one, and its memory; of a sweep how many points are done and missing, what they "
                "take, and the first two of them; run nothing"},
           {.name = "strict",
            .meaning = "exit code 1 if an optimizer diverged or a quadrature is uncertified"},
           {.name = "progress",
            .value = "STYLE",
            .meaning = "auto (a line that moves on a terminal, else a line every 30 seconds; the default), "
                       "plain (more "
                       "lines, for a log), none"}},
      .examples = {"rarefact run experiment.toml", "rarefact run experiment.toml --dry-run",
                   "rarefact run experiment.toml -o noisy.h5 --set data.label_noise=0.1 --set run.steps=500",
                   "rarefact run sweep.toml --shard 0/4 --max-time 3h50m"},
      .run = run_experiment};
}

}  // namespace rarefact::commands
