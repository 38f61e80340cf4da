#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <ostream>
#include <thread>

#include "rarefact/cli/command.hpp"
#include "rarefact/cli/progress.hpp"
#include "rarefact/io/array_file.hpp"
#include "rarefact/io/atomic_file.hpp"
#include "rarefact/io/build_info.hpp"
#include "rarefact/io/checksum.hpp"
#include "rarefact/io/experiment_file.hpp"
#include "rarefact/io/result_file.hpp"
#include "rarefact/io/summary.hpp"
#include "rarefact/sim/simulate.hpp"

namespace rarefact::commands {

namespace {

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

std::string memory_text(double bytes) {
  const double scale = bytes < 1e6 ? 1e3 : bytes < 1e9 ? 1e6 : 1e9;
  return fmt::format("{:.3g} {}", bytes / scale, bytes < 1e6 ? "kB" : bytes < 1e9 ? "MB" : "GB");
}

std::string engine_line(const EngineChoice& choice) {
  return fmt::format("{}: engine {}, {} ({})\n", choice.optimizer, choice.engine,
                     memory_text(choice.memory_bytes), choice.reason);
}

/// The closing table and where the result is.
ExitCode conclude(const Result& result, const std::filesystem::path& path, bool strict,
                  const Streams& streams) {
  streams.out << end_table(result) << "result: " << path.string() << "\n";
  bool diverged = false;
  for (const Run& run : result.runs) {
    for (const Trajectory& trajectory : run.trajectories) {
      if (trajectory.status == "complete") continue;
      diverged = true;
      streams.err << fmt::format("warning: {} {} after step {}{}{}\n", trajectory.optimizer,
                                 trajectory.status, trajectory.status_step,
                                 trajectory.status_detail.empty() ? "" : ": ", trajectory.status_detail);
    }
  }
  return diverged && strict ? ExitCode::check_failed : ExitCode::done;
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

ExitCode run_experiment(const Arguments& arguments, const Streams& streams) {
  const std::string& file = arguments.operands().front();
  const int threads = thread_count(arguments);
  const ProgressStyle style = progress_style(arguments.text("progress", "auto"), streams.err);
  const Experiment experiment = read_experiment(file, arguments.all("set"));
  const std::string text = resolved_text(experiment);
  const std::filesystem::path path =
      arguments.has("output") ? arguments.text("output") : "results/" + experiment.name + ".h5";
  const bool dry_run = arguments.has("dry-run"), strict = arguments.has("strict");
  const FileReaders readers = file_readers(experiment.base_directory);
  try {
    if (!dry_run && std::filesystem::is_regular_file(path)) {
      return conclude_earlier(path, text, strict, streams);
    }
    const std::vector<EngineChoice> choices = choose_engines(experiment, readers, memory_limit_bytes());
    if (dry_run) {
      streams.out << text << "\n";
      for (const EngineChoice& choice : choices) streams.out << "# " << engine_line(choice);
      return ExitCode::done;
    }
    require_writable(path);
    for (const EngineChoice& choice : choices) streams.err << engine_line(choice);
    Result result = [&] {
      ProgressPrinter printer(streams.err, style);
      return simulate(experiment, readers, threads, std::ref(printer));
    }();
    result.experiment = text;
    write_result(result, path);
    return conclude(result, path, strict, streams);
  } catch (const InputError& error) {
    name_the_file(error, file);
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
          "the table; the result of another experiment is never overwritten.",
      .operands = {.name = "EXPERIMENT.toml",
                   .meaning = "the experiment file; rarefact init writes one to start from"},
      .options =
          {{.name = "output", .letter = 'o', .value = "FILE.h5", .meaning = "the result file"},
           {.name = "set",
            .value = "KEY=VALUE",
            .meaning = "put a value over the file's, such as run.steps=500 or optimizer.muon.step_size=0.1; "
                       "may be given several times",
            .repeatable = true},
           {.name = "jobs",
            .value = "N",
            .meaning = "threads, by default one for each core; never changes a bit of the result"},
           {.name = "dry-run",
            .meaning =
                "print the experiment with all its defaults, and for each optimizer the engine, why that "
                "one, and its memory; run nothing"},
           {.name = "strict", .meaning = "exit code 1 if an optimizer diverged"},
           {.name = "progress",
            .value = "STYLE",
            .meaning =
                "auto (a line that moves, on a terminal only; the default), plain (lines for a log), none"}},
      .examples = {"rarefact run experiment.toml", "rarefact run experiment.toml --dry-run",
                   "rarefact run experiment.toml -o noisy.h5 --set data.label_noise=0.1 --set run.steps=500"},
      .run = run_experiment};
}

}  // namespace rarefact::commands
