#include <fstream>
#include <numeric>
#include <ostream>

#include "cli/command.hpp"
#include "core/text.hpp"
#include "results/result_file.hpp"
#include "tables/summary.hpp"

namespace rarefact {

namespace {

/// Largest number of values of an axis that are all shown.
constexpr std::size_t max_values = 12;

/// Largest number of runs whose sizes are shown.
constexpr std::size_t max_described = 4;

/// Wraps a text with an indent of two blanks, and four for further lines.
std::string in_lines(const std::string& text) {
  return wrapped(text, 4, line_width() - 4);
}

std::string describe_run(const Run& run) {
  const double classes = std::accumulate(run.class_count.begin(), run.class_count.end(), 0.0);
  std::string text = fmt::format("  run {}: {:.13g} classes{} in {} groups{}{}\n", run.index, classes,
                                 has_all_classes(run) ? "" : " of run.classes", run.class_count.size(),
                                 run.parameters.empty() ? "" : "; ", parameter_text(run.parameters));
  if (run.answers) {
    text += fmt::format(
        "    {:.13g} queries, {:.13g} answers in {} groups; mean entropy {:.6g}, top-1 error at least {:.6g}\n",
        run.answers->query_count, run.answers->answer_count, run.answers->count.size(),
        run.answers->loss_floor, run.answers->top1_floor);
  }
  const auto step_size = [](const Trajectory& trajectory) {
    return fmt::format("{} {:.6g}", trajectory.optimizer, trajectory.step_size);
  };
  return text + "    " + in_lines("step sizes: " + joined(mapped(run.trajectories, step_size))) + "\n";
}

/// A line for every swept key with its values, in the order of the runs.
std::string describe_axes(const Result& result) {
  std::string text;
  for (const std::string& key : swept_keys(result)) {
    auto values = axis_texts(mapped(result.runs, [&](const Run& run) { return swept_value(run, key); }));
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
Json last_json(const Result& result, const Run& run, std::size_t optimizer, const std::string& name) {
  const Query query{.value = recorded(name), .at = Query::At::last_finite};
  const TableCell cell = RunAnswers(query, result.steps, run)(optimizer);
  if (cell.kind == TableCell::Kind::missing) return nullptr;
  return {{"step", result.steps[cell.record]},
          {"value", cell.mean},
          {"digits", digits_left(query.value, run, optimizer, cell.record)}};
}

/// Adds a field of the answers or trajectories of a run; those of groups are omitted.
void add_field(const ResultField& field, const Run& run, Json& json) {
  std::size_t o = 0;
  visit_field(field, run, [&]<class T>(const T& value) {
    if constexpr (std::is_same_v<T, StoredMatrix>)
      json["trajectories"][o++][field.name] = {value.rows, value.columns};
    else if constexpr (!of_groups<T>)
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
    entry["per_band"] = variable.along == Along::bands;
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
    for (std::size_t o = 0; o < run.trajectories.size(); ++o) {
      entry["trajectories"].push_back({{"optimizer", run.trajectories[o].optimizer},
                                       {"loss", last_json(result, run, o, "loss")},
                                       {"loss_predicted", last_json(result, run, o, "loss_predicted")}});
    }
    for (const ResultField& field : result_fields())
      if (shape.has(field)) add_field(field, run, entry);
  }
  for (const ProvenanceField& field : provenance_fields())
    json["provenance"][field.name] = stored.provenance.*field.member;
  json["values_sha256"] = stored.values_sha256;
  return json;
}

/// Throws an error that says what a file is, if it is of another known kind than a result.
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
  const StoredResult stored = read_stored_result(arguments.operands.front());
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
  if (result.runs.size() <= max_described)
    for (const Run& run : result.runs) text += describe_run(run);
  const ClosingReport report(result);
  streams.out
      << text << "\n"
      << report.table()
      << fmt::format(
             "\nvalues: sha256 {}\nwritten by rarefact {} (commit {}, numerics {}), {}, HDF5 {}\nflags: {}\n",
             values, provenance.rarefact_version, provenance.git_commit, provenance.numerics_id,
             provenance.compiler, provenance.hdf5_version, provenance.compiler_flags);
  streams.err << report.warnings();
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
          .operands = {.name = "FILE.h5", .meaning = "a result file"},
          .options = {json_option},
          .run = run_info};
}

Command check_command() {
  return {.name = "check",
          .operands = {.name = "FILE.h5", .meaning = "result files", .repeatable = true},
          .options = {json_option},
          .run = run_check};
}

}  // namespace rarefact
