#include "cli/job.hpp"

#include <iostream>
#include <sstream>

#include "io/regular_file.hpp"

namespace rarefact {

namespace {

std::string duration_objection(const std::string& text) {
  if (parse_duration(text)) return "";
  return fmt::format("got \"{}\"; expected a time such as 3h50m, 90s or 2d (d, h, m, s in this order)", text);
}

/// Options, each with the commands that have it.
const std::vector<std::pair<std::string, Option>> all_job_options = {
    {"run merge status",
     {"output", "FILE.h5", "the result file; the points of a sweep are beside it in FILE.h5.points",
      name_objection, false, 'o'}},
    {"run merge status",
     {"set", "KEY=VALUE",
      "override a value of the file, such as run.steps=500, optimizer.muon.step_size=0.1 or "
      "sweep.seed=[1,2,3]; may be given several times",
      nullptr, true}},
    {"run",
     {"reuse", "FILE.h5",
      "copy the points that this sweep shares with the sweep of an earlier result; may be given several times",
      nullptr, true}},
    {"run merge status verify",
     {"jobs", "N", "threads, by default one for each core; never changes a bit of the result",
      whole_number(1)}},
    {"run",
     {"shard", "I/N",
      "compute only part I of N of a sweep, 0 <= I < N, without merging; slurm: the part of this task of a Slurm "
      "job array"}},
    {"run",
     {"max-time", "TIME",
      "stop after this time, such as 3h50m, 90s or 2d, with exit code 75; the same command continues from "
      "there",
      duration_objection}},
    {"run",
     {"checkpoint", "TIME",
      "how often the state of a long run is saved in FILE.h5.points, by default every 60s; after a kill the "
      "same command continues from there, to the same bytes",
      duration_objection}},
    {"run",
     {"dry-run", "",
      "print the experiment with the defaults of the keys that apply, its time and memory, and for each optimizer "
      "the engine, why, its memory, and the symmetries of its rule; for a sweep, how many points are done "
      "and missing, and the first two; run nothing"}},
    {"run merge",
     {"strict", "", "exit code 1 if an optimizer diverged or a quadrature misses its tolerance"}},
    {"run",
     {"progress", "STYLE",
      "auto (a line that moves on a terminal, else a line every 30 seconds; the default), plain (more lines, "
      "for a log), json (one event a line, for programs), none",
      one_of({"auto", "plain", "json", "none"})}},
    {"merge", {"partial", "", "join the finished points into FILE.h5.points/partial.h5"}},
    {"run", {"json", "", "with --dry-run: " + json_option.meaning}},
    {"status", json_option},
};

Shard slurm_shard() {
  std::vector<Problem> problems;
  const auto number = [&](const std::string& name, std::optional<std::size_t> otherwise) {
    const char* text = std::getenv(name.c_str());
    if (text == nullptr && otherwise) return *otherwise;
    const auto value = text == nullptr ? std::nullopt : parse_number<std::size_t>(text);
    if (!value) {
      problems.push_back(
          text == nullptr ? problem_of("--shard slurm: {} is not set; submit with sbatch --array=0-N", name)
                          : problem_of("--shard slurm: {} is \"{}\"; expected an integer", name, text));
    }
    return value.value_or(0);
  };
  const std::size_t id = number("SLURM_ARRAY_TASK_ID", {}), first = number("SLURM_ARRAY_TASK_MIN", {}),
                    count = number("SLURM_ARRAY_TASK_COUNT", {}), step = number("SLURM_ARRAY_TASK_STEP", 1);
  raise(std::move(problems));
  if (count < 1 || step < 1 || id < first || (id - first) % step != 0 || (id - first) / step >= count) {
    throw bad_input(
        "--shard slurm: task {} is not one of {} tasks from {} in steps of {}; the array must be "
        "a range such as --array=0-9",
        id, count, first, step);
  }
  return {(id - first) / step, count};
}

/// "i/n", or "slurm".
Shard parse_shard(const std::string& text) {
  if (text == "slurm") return slurm_shard();
  const std::size_t slash = text.find('/');
  const std::string_view all = text;
  const auto index = parse_number<std::size_t>(all.substr(0, slash));
  const auto of =
      slash == std::string::npos ? std::nullopt : parse_number<std::size_t>(all.substr(slash + 1));
  if (!index || !of || *index >= *of)
    throw bad_input("--shard: got \"{}\"; expected i/n with integers 0 <= i < n, or slurm", text);
  return {*index, *of};
}

std::string standard_input() {
  std::ostringstream text;
  text << std::cin.rdbuf();
  return text.str();
}

Job read_job(const Arguments& arguments, const Streams& streams) {
  Job job{.arguments = arguments, .file = arguments.operands.front(), .threads = thread_count(arguments)};
  job.progress = progress_style(arguments.text("progress", "auto"), streams.err);
  if (arguments.has("shard")) job.shard = parse_shard(arguments.text("shard"));
  const auto overrides = arguments.all("set");
  job.plan = job.file == "-" ? parse_plan(standard_input(), "standard input", overrides)
                             : read_plan(job.file, overrides);
  if (job.shard && !job.sweep()) throw InputError("--shard: the experiment has no [sweep] to divide");
  if (arguments.has("reuse") && !job.sweep()) throw InputError("--reuse: the experiment has no [sweep]");
  const Experiment first = job.plan.point(0).experiment;
  job.optimizers = mapped(first.optimizers, &OptimizerChoice::name);
  job.readers = file_readers(first.base_directory);
  job.output = arguments.text("output", "results/" + first.name + ".h5");
  return job;
}

}  // namespace

std::optional<std::chrono::seconds> parse_duration(const std::string& text) {
  constexpr std::pair<char, std::int64_t> units[] = {{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}};
  constexpr std::int64_t limit = std::int64_t{366} * 86400 * 100;
  std::string_view rest = text;
  std::int64_t total = 0;
  for (const auto& [letter, seconds] : units) {
    const std::size_t digits = rest.find_first_not_of("0123456789");
    if (digits > 9 || rest[digits] != letter) continue;
    total += parse_number<std::int64_t>(rest.substr(0, digits)).value_or(limit + 1) * seconds;
    rest.remove_prefix(digits + 1);
  }
  if (!rest.empty() || total < 1 || total > limit) return {};
  return std::chrono::seconds(total);
}

int thread_count(const Arguments& arguments) {
  const int all = Workers::cores();
  return std::min(parse_number<int>(arguments.text("jobs")).value_or(all), all);
}

std::vector<Option> job_options(const std::string& command) {
  std::vector<Option> options;
  for (const auto& [commands, option] : all_job_options)
    if (commands.find(command) != std::string::npos) options.push_back(option);
  return options;
}

ExitCode with_job(const Arguments& arguments, const Streams& streams,
                  const std::function<ExitCode(const Job& job)>& body) {
  const Job job = read_job(arguments, streams);
  try {
    return body(job);
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems) {
      if (!job.sweep() && problem.line == 0) problem = job.plan.placed(0, problem);
      if (problem.file.empty()) problem.file = job.file == "-" ? "standard input" : job.file;
    }
    throw InputError(std::move(problems));
  }
}

}  // namespace rarefact
