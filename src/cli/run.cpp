#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <ostream>
#include <thread>

#include "rarefact/cli/command.hpp"
#include "rarefact/cli/progress.hpp"
#include "rarefact/io/array_file.hpp"
#include "rarefact/io/atomic_file.hpp"
#include "rarefact/io/build_info.hpp"
#include "rarefact/io/checksum.hpp"
#include "rarefact/io/experiment_plan.hpp"
#include "rarefact/io/result_file.hpp"
#include "rarefact/io/summary.hpp"
#include "sweep_report.hpp"

namespace rarefact::commands {

namespace {

constexpr std::size_t most_warnings = 10;

/// The machine's memory without what the system itself needs.
double memory_limit_bytes() {
  const double installed =
      static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  return 0.9 * installed;
}

int thread_count(const Arguments& arguments) {
  if (!arguments.has("jobs")) return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const std::string text = arguments.text("jobs");
  int jobs = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), jobs);
  if (error != std::errc() || end != text.data() + text.size() || jobs < 1) {
    throw InputError(fmt::format("--jobs: got \"{}\"; expected a whole number >= 1", text));
  }
  return jobs;
}

/// Gives problems that have no place of their own the name of the experiment file.
[[noreturn]] void name_the_file(const InputError& error, const std::string& file) {
  std::vector<Problem> problems = error.problems();
  for (Problem& problem : problems) {
    if (problem.file.empty()) problem.file = file;
  }
  throw InputError(std::move(problems));
}

/// The closing table and where the result is. A run that failed has nothing to show for itself; whether one
/// that diverged is an error is up to the user.
ExitCode conclude(const Result& result, const std::filesystem::path& path, bool strict,
                  const Streams& streams) {
  streams.out << end_table(result) << "result: " << path.string() << "\n";
  std::size_t incomplete = 0;
  bool failed = false;
  for (const Run& run : result.runs) {
    for (const Trajectory& trajectory : run.trajectories) {
      if (trajectory.status == "complete") continue;
      failed = failed || trajectory.status == "failed";
      if (++incomplete > most_warnings) continue;
      const std::string where = result.runs.size() > 1 ? fmt::format("run {}: ", run.index) : "";
      streams.err << fmt::format("warning: {}{} {} after step {}{}{}\n", where, trajectory.optimizer,
                                 trajectory.status, trajectory.status_step,
                                 trajectory.status_detail.empty() ? "" : ": ", trajectory.status_detail);
    }
  }
  if (incomplete > most_warnings)
    streams.err << fmt::format("warning: and {} more that are not complete\n", incomplete - most_warnings);
  return failed || (incomplete > 0 && strict) ? ExitCode::check_failed : ExitCode::done;
}

/// A result that is there already. Errors: InputError if it is another experiment's, DamagedResult.
ExitCode conclude_earlier(const std::filesystem::path& path, const std::string& experiment, bool strict,
                          const Streams& streams) {
  if (verify_checksum(path) == ChecksumState::differs) {
    throw DamagedResult(fmt::format("{}: {}; delete it to compute it again", path.string(),
                                    *objection(ChecksumState::differs, path)));
  }
  refuse_other_result(path, experiment);
  const StoredResult stored = read_stored_result(path);
  streams.err << path.string() << ": this experiment's result is there already; nothing to do\n";
  if (stored.provenance.numerics_id != build_info::numerics_id) {
    streams.err << fmt::format(
        "note: rarefact {} wrote it, whose arithmetic (numerics {}) differs from this program's ({}); delete "
        "the file to compute it again\n",
        stored.provenance.rarefact_version, stored.provenance.numerics_id, build_info::numerics_id);
  }
  return conclude(stored.result, path, strict, streams);
}

/// A run may take hours, so what would keep its result from being written is found before.
void require_writable(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) {
    throw InputError(fmt::format("--output: {} is a folder; expected the name of a file", path.string()));
  }
  make_folder_of(path);
  if (::access(folder_of(path).c_str(), W_OK) != 0) {
    throw FileError(fmt::format("{}: the folder does not allow writing", folder_of(path).string()));
  }
}

/// What the user asked for.
struct Request {
  std::string file;
  int threads;
  ProgressStyle style;
};

Result run_one(const Experiment& experiment, const FileReaders& readers, const Request& request,
               const std::filesystem::path& path, const Streams& streams) {
  const std::vector<EngineChoice> choices = choose_engines(experiment, readers, memory_limit_bytes());
  require_writable(path);
  for (const EngineChoice& choice : choices) streams.err << engine_line(choice);
  ProgressPrinter printer(streams.err, request.style);
  return simulate(experiment, readers, request.threads, std::ref(printer));
}

/// InputError if a point cannot run.
SweepSurvey survey(const ExperimentPlan& plan, const FileReaders& readers, const Request& request) {
  const SweepSurvey found = survey_sweep(plan.points(), readers, memory_limit_bytes(), request.threads);
  if (found.refused > 0) throw refusal(found, request.file);
  return found;
}

Result run_grid(const ExperimentPlan& plan, const FileReaders& readers, const Request& request,
                const std::filesystem::path& path, const Streams& streams) {
  const SweepSurvey found = survey(plan, readers, request);
  require_writable(path);
  streams.err << plan_line(plan) << "\n" << survey_lines(found);
  // Points that need much memory run one after another, with all threads inside each.
  const double fitting =
      std::max(1.0, std::floor(memory_limit_bytes() / std::max(1.0, found.largest_memory)));
  const int concurrent = static_cast<int>(std::min<double>(request.threads, fitting));
  ProgressPrinter printer(streams.err, request.style);
  return run_sweep(plan.points(), readers, request.threads, concurrent,
                   [&](std::size_t done, std::size_t of) { printer.points(done, of); });
}

ExitCode dry_run(const ExperimentPlan& plan, const FileReaders& readers, const Request& request,
                 const Streams& streams) {
  if (!plan.axes().empty()) {
    const SweepSurvey found = survey(plan, readers, request);
    streams.out << dry_run_text(plan, readers, memory_limit_bytes());
    streams.err << survey_lines(found);
    return ExitCode::done;
  }
  const std::vector<EngineChoice> choices =
      choose_engines(plan.point(0).experiment, readers, memory_limit_bytes());
  streams.out << resolved_text(plan) << "\n";
  for (const EngineChoice& choice : choices) streams.out << "# " << engine_line(choice);
  return ExitCode::done;
}

ExitCode run_experiment(const Arguments& arguments, const Streams& streams) {
  const Request request{arguments.operands().front(), thread_count(arguments),
                        progress_style(arguments.text("progress", "auto"), streams.err)};
  const ExperimentPlan plan = read_plan(request.file, arguments.all("set"));
  const Experiment first = plan.point(0).experiment;
  const std::string text = resolved_text(plan);
  const std::filesystem::path path =
      arguments.has("output") ? arguments.text("output") : "results/" + first.name + ".h5";
  const bool strict = arguments.has("strict");
  const FileReaders readers = file_readers(first.base_directory);
  try {
    if (arguments.has("dry-run")) return dry_run(plan, readers, request, streams);
    if (std::filesystem::is_regular_file(path)) return conclude_earlier(path, text, strict, streams);
    Result result = plan.axes().empty() ? run_one(first, readers, request, path, streams)
                                        : run_grid(plan, readers, request, path, streams);
    result.experiment = text;
    write_result(result, path);
    return conclude(result, path, strict, streams);
  } catch (const InputError& error) {
    name_the_file(error, request.file);
  }
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
          "point of its grid, into one file (rarefact explain sweep).",
      .operands = {.name = "EXPERIMENT.toml",
                   .meaning = "the experiment file; rarefact init writes one to start from"},
      .options =
          {{.name = "output", .letter = 'o', .value = "FILE.h5", .meaning = "the result file"},
           {.name = "set",
            .value = "KEY=VALUE",
            .meaning = "put a value over the file's, such as run.steps=500, optimizer.muon.step_size=0.1 or "
                       "sweep.seed=[1,2,3]; may be given several times",
            .repeatable = true},
           {.name = "jobs",
            .value = "N",
            .meaning = "threads, by default one for each core; never changes a bit of the result"},
           {.name = "dry-run",
            .meaning =
                "print the experiment with all its defaults, and for each optimizer the engine, why that "
                "one, and its memory; of a sweep the number of points and the first two of them; run "
                "nothing"},
           {.name = "strict",
            .meaning = "exit code 1 if an optimizer diverged or a quadrature is uncertified"},
           {.name = "progress",
            .value = "STYLE",
            .meaning =
                "auto (a line that moves, on a terminal only; the default), plain (lines for a log), none"}},
      .examples = {"rarefact run experiment.toml", "rarefact run experiment.toml --dry-run",
                   "rarefact run experiment.toml -o noisy.h5 --set data.label_noise=0.1 --set run.steps=500"},
      .run = run_experiment};
}

}  // namespace rarefact::commands
