#include "cli/run_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <thread>

#include "core/text.hpp"
#include "io/atomic_file.hpp"

namespace rarefact {

namespace {

/// A whole number >= 0 that is all of the text.
std::optional<std::int64_t> whole_number(std::string_view text) {
  const auto value = parse_number<std::int64_t>(text);
  return value && *value >= 0 ? value : std::nullopt;
}

Shard slurm_shard(const std::function<const char*(const char*)>& environment) {
  std::vector<Problem> problems;
  const auto number = [&](const std::string& name, std::optional<std::int64_t> otherwise) -> std::int64_t {
    const char* text = environment(name.c_str());
    if (text == nullptr && otherwise) return *otherwise;
    const auto value = text == nullptr ? std::nullopt : whole_number(text);
    if (!value) {
      problems.push_back(
          {"", 0, 0,
           text == nullptr
               ? fmt::format("--shard slurm: {} is not set; submit with sbatch --array=0-N", name)
               : fmt::format("--shard slurm: {} is \"{}\"; expected a whole number", name, text)});
    }
    return value.value_or(0);
  };
  const std::int64_t id = number("SLURM_ARRAY_TASK_ID", {}), first = number("SLURM_ARRAY_TASK_MIN", {}),
                     count = number("SLURM_ARRAY_TASK_COUNT", {}), step = number("SLURM_ARRAY_TASK_STEP", 1);
  if (!problems.empty()) throw InputError(std::move(problems));
  if (count < 1 || step < 1 || id < first || (id - first) % step != 0 || (id - first) / step >= count) {
    throw InputError(
        fmt::format("--shard slurm: task {} is not one of {} tasks from {} in steps of {}; the array must be "
                    "a range such as --array=0-9",
                    id, count, first, step));
  }
  return {static_cast<std::size_t>((id - first) / step), static_cast<std::size_t>(count)};
}

}  // namespace

Shard parse_shard(const std::string& text, const std::function<const char*(const char*)>& environment) {
  if (text == "slurm") return slurm_shard(environment);
  const std::size_t slash = text.find('/');
  const std::string_view all = text;
  const auto index = whole_number(all.substr(0, slash));
  const auto of = slash == std::string::npos ? std::nullopt : whole_number(all.substr(slash + 1));
  if (!index || !of || *index >= *of) {
    throw InputError(
        fmt::format("--shard: got \"{}\"; expected i/n with whole numbers 0 <= i < n, or slurm", text));
  }
  return {static_cast<std::size_t>(*index), static_cast<std::size_t>(*of)};
}

std::chrono::seconds parse_duration(const std::string& text, const std::string& option) {
  constexpr std::string_view units = "dhms";
  constexpr std::int64_t seconds_of[] = {86400, 3600, 60, 1};
  constexpr std::int64_t most = std::int64_t{366} * 86400 * 100;
  std::int64_t total = 0;
  std::string_view rest = text;
  std::size_t next_unit = 0;
  bool sound = !rest.empty();
  while (sound && !rest.empty()) {
    const std::size_t digits = rest.find_first_not_of("0123456789");
    const auto value = digits == std::string_view::npos ? std::nullopt : whole_number(rest.substr(0, digits));
    const std::size_t unit = value ? units.find(rest[digits], next_unit) : std::string_view::npos;
    sound = unit != std::string_view::npos && *value <= most;
    if (!sound) break;
    total += *value * seconds_of[unit];
    next_unit = unit + 1;
    rest.remove_prefix(digits + 1);
  }
  if (!sound || total < 1 || total > most) {
    throw InputError(fmt::format(
        "{}: got \"{}\"; expected a time such as 3h50m, 90s or 2d (d, h, m, s in this order)", option, text));
  }
  return std::chrono::seconds(total);
}

int thread_count(const Arguments& arguments) {
  if (!arguments.has("jobs")) return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const std::string text = arguments.text("jobs");
  const auto jobs = whole_number(text);
  if (!jobs || *jobs < 1 || *jobs > std::numeric_limits<int>::max())
    throw InputError(fmt::format("--jobs: got \"{}\"; expected a whole number >= 1", text));
  return static_cast<int>(*jobs);
}

std::filesystem::path output_path(const Arguments& arguments, const std::string& name) {
  const std::filesystem::path path =
      arguments.has("output") ? arguments.text("output") : "results/" + name + ".h5";
  if (const std::string objection = name_objection(path); !objection.empty())
    throw InputError("--output: " + objection);
  return path;
}

ExitCode naming_the_file(const std::string& file, const std::function<ExitCode()>& body) {
  try {
    return body();
  } catch (const InputError& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems) {
      if (problem.file.empty()) problem.file = file;
    }
    throw InputError(std::move(problems));
  }
}

Operands experiment_operand() {
  return {.name = "EXPERIMENT.toml",
          .meaning = "the experiment file; rarefact init writes one to start from"};
}

Option output_option() {
  return {.name = "output",
          .letter = 'o',
          .value = "FILE.h5",
          .meaning = "the result file; the points of a sweep are beside it in FILE.h5.points"};
}

Option set_option() {
  return {.name = "set",
          .value = "KEY=VALUE",
          .meaning =
              "put a value over the file's, such as run.steps=500, optimizer.muon.step_size=0.1 or "
              "sweep.seed=[1,2,3]; may be given several times",
          .repeatable = true};
}

Option jobs_option() {
  return {.name = "jobs",
          .value = "N",
          .meaning = "threads, by default one for each core; never changes a bit of the result"};
}

}  // namespace rarefact
