#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <ostream>

#include "cli/command.hpp"
#include "cli/json.hpp"
#include "cli/text_layout.hpp"
#include "core/status.hpp"
#include "core/text.hpp"
#include "results/result_fields.hpp"
#include "results/result_file.hpp"
#include "tables/summary.hpp"
#include "tables/view.hpp"

namespace rarefact {

namespace {

/// Largest number of values of an axis that are all shown.
constexpr std::size_t max_values = 12;

/// Largest number of runs with a description each; more share one table.
constexpr std::size_t max_described = 4;

/// True if a series is printed or checked; of those per class or answer only those in the summary, and
/// errors.
bool is_shown(const Variable& variable) {
  return variable.along == Along::nothing || variable.name.find("error") != std::string::npos ||
         variable.name.starts_with("coefficient");
}

/// Wraps a text with an indent of two blanks, and four for further lines.
std::string in_lines(const std::string& text) {
  return wrapped(text, 4, line_width() - 4);
}

/// The value of a variable at the last step with finite numbers.
TableCell last_number(const Run& run, const Trajectory& trajectory, const std::vector<std::int64_t>& steps,
                      const std::string& name) {
  return answer({.value = recorded(name), .at = Query::At::last_finite}, steps, run, trajectory);
}

std::string describe_run(const Run& run, const std::vector<std::int64_t>& steps) {
  const double classes = std::accumulate(run.class_count.begin(), run.class_count.end(), 0.0);
  std::string text =
      fmt::format("\nrun {}: {:.13g} classes in {} groups\n", run.index, classes, run.class_count.size());
  if (run.answers) {
    text += fmt::format(
        "  {:.13g} queries, {:.13g} answers in {} groups; at least loss {:.6g}, top-1 error {:.6g}\n",
        run.answers->query_count, run.answers->answer_count, run.answers->count.size(),
        run.answers->loss_floor, run.answers->top1_floor);
  }
  for (const auto& entry : run.parameters) text += fmt::format("  {}\n", parameter_text({entry}));
  std::vector<std::vector<std::string>> lines = {
      {"optimizer", "engine", "status", "step size", "loss", "predicted"}};
  std::string details;
  for (const Trajectory& trajectory : run.trajectories) {
    // The value at the last recorded step that has one, with that step.
    const auto last = [&](const std::string& name) {
      const TableCell cell = last_number(run, trajectory, steps, name);
      if (cell.kind == TableCell::Kind::missing) return std::string("-");
      return number_text(cell.mean, cell.digits, 6) +
             (cell.record + 1 == steps.size() ? "" : fmt::format(" (step {})", steps[cell.record]));
    };
    const std::string where =
        trajectory.status == Status::complete ? "" : fmt::format(" at step {}", trajectory.status_step);
    lines.push_back({trajectory.optimizer, trajectory.engine, trajectory.status + where,
                     fmt::format("{:.6g}", trajectory.step_size), last("loss"), last("loss_predicted")});
    if (!trajectory.status_detail.empty())
      details += fmt::format("{}: {}\n", trajectory.optimizer, trajectory.status_detail);
  }
  return text + aligned_table(lines) + details;
}

/// A line for every swept key with its values, in the order of the runs.
std::string describe_axes(const Result& result) {
  std::string text;
  for (const std::string& key : swept_keys(result)) {
    std::vector<std::string> values;
    for (const Run& run : result.runs) {
      if (!run.parameters.contains(key)) continue;
      const std::string value = swept_text(swept_value(run, key));
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
    const std::size_t count = values.size();
    if (count > max_values) {
      values[max_values - 1] = "...";
      values.erase(values.begin() + max_values, values.end() - 1);
    }
    text += "  " + in_lines(fmt::format("sweep: {}, {}: {}", key, counted(count, "value"), joined(values))) +
            "\n";
  }
  return text;
}

/// The last number of a variable with its step; null if there is none.
Json last_json(const Result& result, const Run& run, const Trajectory& trajectory, const std::string& name) {
  const TableCell cell = last_number(run, trajectory, result.steps, name);
  if (cell.kind == TableCell::Kind::missing) return nullptr;
  return {{"step", result.steps[cell.record]},
          {"value", cell.mean},
          {"digits", recorded(name).digits(run, trajectory)(cell.record, 0)}};
}

/// Adds a field of the answers or trajectories of a run; those of groups are omitted.
void add_field(const ResultField& field, const Run& run, Json& json) {
  std::size_t o = 0;
  visit_field(field, run, [&]<class T>(const T& value) {
    if constexpr (!of_groups<T>)
      (field.per_optimizer() ? json["trajectories"][o++] : json["answers"])[field.name] = value;
  });
}

Json info_json(const StoredResult& stored) {
  const Result& result = stored.result;
  Json json = {{"kind", "result"},
               {"title", result.title},
               {"experiment", result.experiment},
               {"steps", result.steps},
               {"optimizers", result.optimizers},
               {"variables", Json::array()},
               {"swept", Json::object()},
               {"runs", Json::array()}};
  for (const Variable& variable : result.variables) {
    Json& entry = json["variables"].emplace_back();
    for (const auto& [name, text] : variable_texts) entry[name] = variable.*text;
    entry["per_class"] = variable.along == Along::class_groups;
    entry["per_answer"] = variable.along == Along::answer_groups;
  }
  for (const std::string& key : swept_keys(result)) {
    for (const Run& run : result.runs) {
      const auto found = run.parameters.find(key);
      json["swept"][key].push_back(found == run.parameters.end() ? Json("-") : json_of(found->second));
    }
  }
  const ResultShape shape = shape_of(result);
  for (const Run& run : result.runs) {
    Json& entry = json["runs"].emplace_back(
        Json{{"index", run.index},
             {"classes", std::accumulate(run.class_count.begin(), run.class_count.end(), 0.0)},
             {"class_groups", run.class_count.size()},
             {"parameters", Json::object()},
             {"trajectories", Json::array()}});
    if (run.answers) entry["answers"]["answer_groups"] = run.answers->count.size();
    for (const auto& [key, value] : run.parameters) entry["parameters"][key] = json_of(value);
    for (const Trajectory& trajectory : run.trajectories) {
      entry["trajectories"].push_back(
          {{"optimizer", trajectory.optimizer},
           {"loss", last_json(result, run, trajectory, "loss")},
           {"loss_predicted", last_json(result, run, trajectory, "loss_predicted")}});
    }
    for (const ResultField& field : result_fields()) {
      if (shape.has(field)) add_field(field, run, entry);
    }
  }
  for (const ProvenanceField& field : provenance_fields())
    json["provenance"][field.name] = stored.provenance.*field.member;
  json["values_sha256"] = stored.values_sha256;
  return json;
}

/// Throws an error that says what a file is, if it is known not to be a result.
void refuse_other_kinds(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) return;
  std::ifstream stream(path, std::ios::binary);
  std::string title(14, '\0');
  if (!stream.read(title.data(), 14)) return;
  if (title == "rarefact point") {
    throw InputError(
        path +
        ": a finished point of a sweep, not a result; rarefact merge, or rarefact run again, joins the "
        "points into one");
  }
  if (title == "rarefact check")
    throw InputError(path + ": the state of an unfinished run; rarefact run continues from it");
}

ExitCode run_info(const Arguments& arguments, const Streams& streams) {
  refuse_other_kinds(arguments.operands.front());
  const StoredResult stored = read_stored_result(arguments.operands.front(), is_shown);
  if (arguments.has("json")) {
    print_json(streams.out, info_json(stored));
    return ExitCode::done;
  }
  const auto& [result, provenance, values] = stored;
  std::string text = fmt::format(
      "{}\n  {}, {}, {} recorded steps up to {}\n  {}\n", result.title, counted(result.runs.size(), "run"),
      counted(result.optimizers.size(), "optimizer"), result.steps.size(), result.steps.back(),
      in_lines("variables: " + joined(names_of(result.variables))));
  text += describe_axes(result);
  if (result.runs.size() > max_described) {
    text += "\n" + ClosingReport(result).table();
  } else {
    for (const Run& run : result.runs) text += describe_run(run, result.steps);
  }
  streams.out << text
              << fmt::format(
                     "loss{} at step {} where no other is given\n\n"
                     "values: sha256 {}\n"
                     "written by rarefact {} (commit {}, numerics {}), {}, HDF5 {}\nflags: {}\n",
                     find_row(result.variables, "coefficient") ? "" : " in nats", result.steps.back(), values,
                     provenance.rarefact_version, provenance.git_commit, provenance.numerics_id,
                     provenance.compiler, provenance.hdf5_version, provenance.compiler_flags);
  return ExitCode::done;
}

ExitCode run_check(const Arguments& arguments, const Streams& streams) {
  ExitCode worst = ExitCode::done;
  const bool json = arguments.has("json");
  Json files = Json::array();
  for (const std::string& file : arguments.operands) {
    try {
      const std::vector<std::string> findings = check_result(file);
      files.push_back({{"file", file}, {"sound", findings.empty()}, {"findings", findings}});
      if (!findings.empty()) worst = std::max(worst, ExitCode::damaged_result);
      if (json) continue;
      for (const std::string& finding : findings) streams.out << file << ": damaged: " << finding << "\n";
      if (findings.empty()) streams.out << file << ": sound\n";
    } catch (const FileError& error) {
      // The other files are still checked.
      files.push_back({{"file", file}, {"sound", false}, {"findings", {error.what()}}});
      if (!json) streams.err << "error: " << error.what() << "\n";
      worst = std::max(worst, ExitCode::input_output);
    }
  }
  if (json) print_json(streams.out, files);
  return worst;
}

}  // namespace

Command info_command() {
  return {.name = "info",
          .summary = "the contents of a result file",
          .description =
              "Prints the contents of a result file, for people: its shape, every optimizer with engine, "
              "status and last loss, measured and predicted, and the program that wrote it. Programs read "
              "the file itself with h5py or xarray (docs/reference.md).",
          .operands = {.name = "FILE.h5", .meaning = "a result file"},
          .options = {json_option},
          .examples = {"rarefact info results/experiment.h5"},
          .run = run_info};
}

Command check_command() {
  return {
      .name = "check",
      .summary = "the integrity of result files",
      .description =
          "Tests the integrity of result files: the checksum beside the file or inside it, its layout, and the "
          "checksum of every stored number. Prints one line for each sound file and one for each thing "
          "that is wrong; the exit code is 4 if anything is damaged, 3 if a file cannot be read.",
      .operands = {.name = "FILE.h5", .meaning = "result files", .repeatable = true},
      .options = {json_option},
      .examples = {"rarefact check results/*.h5"},
      .run = run_check};
}

}  // namespace rarefact
