#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <ostream>

#include "cli/command.hpp"
#include "cli/text_layout.hpp"
#include "core/text.hpp"
#include "results/result_file.hpp"
#include "tables/summary.hpp"
#include "tables/view.hpp"

namespace rarefact {

namespace {

/// More values of an axis than this are not all shown.
constexpr std::size_t most_values = 12;

std::string describe_run(const Run& run, const std::vector<std::int64_t>& steps) {
  const double classes = std::accumulate(run.class_count.begin(), run.class_count.end(), 0.0);
  std::string text =
      fmt::format("\nrun {}: {:.13g} classes in {} groups\n", run.index, classes, run.class_count.size());
  for (const auto& [key, value] : run.parameters) text += fmt::format("  {} = {}\n", key, swept_text(value));
  std::vector<std::vector<std::string>> lines = {{"optimizer", "engine", "status", "loss", "predicted"}};
  std::string details;
  for (const Trajectory& trajectory : run.trajectories) {
    // At the last recorded step that has one, and which step that is.
    const auto last = [&](const std::string& name) -> std::string {
      const Numbers numbers = recorded_numbers(run, trajectory, name, false);
      const auto record = last_record(numbers, steps.size());
      if (!record) return "-";
      return fmt::format(
          "{}{}", number_text(numbers(*record, 0), recorded_digits(run, trajectory, name)(*record, 0), 6),
          *record + 1 == steps.size() ? "" : fmt::format(" (step {})", steps[*record]));
    };
    const std::string where =
        trajectory.status == "complete" ? "" : fmt::format(" at step {}", trajectory.status_step);
    lines.push_back({trajectory.optimizer, trajectory.engine, trajectory.status + where, last("loss"),
                     last("loss_predicted")});
    if (!trajectory.status_detail.empty())
      details += fmt::format("{}: {}\n", trajectory.optimizer, trajectory.status_detail);
  }
  return text + aligned_table(lines) + details;
}

/// A line for every swept key with the values it takes, in the order in which runs have them.
std::string describe_axes(const Result& result) {
  std::string text;
  for (const std::string& key : swept_keys(result)) {
    std::vector<std::string> values;
    for (const Run& run : result.runs) {
      const auto found = run.parameters.find(key);
      if (found == run.parameters.end()) continue;
      const std::string value = swept_text(found->second);
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
    const std::size_t count = values.size();
    if (count > most_values) {
      values[most_values - 1] = "...";
      values.erase(values.begin() + most_values, values.end() - 1);
    }
    text += fmt::format("  sweep: {}, {}: {}\n", key, counted(count, "value"), joined(values));
  }
  return text;
}

ExitCode run_info(const Arguments& arguments, const Streams& streams) {
  const auto [result, provenance] = read_stored_result(arguments.operands.front());
  std::string text =
      fmt::format("{}\n  {}, {}, {} recorded steps up to {}\n  variables: {}\n", result.title,
                  counted(result.runs.size(), "run"), counted(result.optimizers.size(), "optimizer"),
                  result.steps.size(), result.steps.back(), joined(names_of(result.variables)));
  text += describe_axes(result);
  if (result.runs.size() > ClosingReport::most_tables) {
    text += "\n" + ClosingReport(result).table();
  } else {
    for (const Run& run : result.runs) text += describe_run(run, result.steps);
  }
  streams.out << text
              << fmt::format(
                     "loss in nats at step {} where no other is given\n\n"
                     "written by rarefact {} (commit {}, numerics {}), {}, HDF5 {}\nflags: {}\n",
                     result.steps.back(), provenance.rarefact_version, provenance.git_commit,
                     provenance.numerics_id, provenance.compiler, provenance.hdf5_version,
                     provenance.compiler_flags);
  return ExitCode::done;
}

ExitCode run_check(const Arguments& arguments, const Streams& streams) {
  ExitCode worst = ExitCode::done;
  for (const std::string& file : arguments.operands) {
    try {
      const std::vector<std::string> findings = check_result(file);
      for (const std::string& finding : findings) streams.out << file << ": damaged: " << finding << "\n";
      if (findings.empty()) streams.out << file << ": sound\n";
      if (!findings.empty()) worst = std::max(worst, ExitCode::damaged_result);
    } catch (const FileError& error) {
      // It does not keep the others from being checked.
      streams.err << "error: " << error.what() << "\n";
      worst = std::max(worst, ExitCode::input_output);
    }
  }
  return worst;
}

}  // namespace

Command info_command() {
  return {.name = "info",
          .summary = "what is in a result file",
          .description =
              "Prints what is in a result file, for a person: its shape, every optimizer with engine, status "
              "and last loss, measured and predicted, and the program that wrote it. Programs read the file "
              "itself with h5py or xarray (docs/result-file.md).",
          .operands = {.name = "FILE.h5", .meaning = "a result file"},
          .examples = {"rarefact info results/experiment.h5"},
          .run = run_info};
}

Command check_command() {
  return {.name = "check",
          .summary = "whether result files are whole",
          .description =
              "Tests the integrity of result files: the checksum beside the file, its layout, and the "
              "checksum of every stored number. Prints one line for each sound file and one for each thing "
              "that is wrong; the exit code is 4 if anything is damaged, 3 if a file cannot be read.",
          .operands = {.name = "FILE.h5", .meaning = "result files", .repeatable = true},
          .examples = {"rarefact check results/*.h5"},
          .run = run_check};
}

}  // namespace rarefact
