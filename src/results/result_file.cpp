#include "results/result_file.hpp"

#include <set>

#include "core/status.hpp"
#include "core/text.hpp"
#include "core/transform.hpp"
#include "io/checksum.hpp"
#include "io/regular_file.hpp"
#include "metrics/metric.hpp"

namespace rarefact {

namespace {

/// 1 plus a tolerance for the rounding of a mean over many classes.
constexpr double max_probability = 1 + 1e-9;

constexpr std::string_view name_letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

bool is_probability_of_class(double p) {
  return p > 0 && p <= max_probability;
}

/// Shares of nodes are interpolated, and may pass 0 or 1 a little.
bool leaves_unit_interval(double share) {
  constexpr double interpolated = 1e-3;
  return share < -interpolated || share > 1 + interpolated;
}  // false for NaN

bool is_no_number_of_digits(double digits) {
  return digits < 0 || digits > 100;
}  // false for NaN

void add_implausible_answers(const Run& run, std::vector<std::string>& findings) {
  const AnswerGroups& answers = *run.answers;
  const auto add = [&](bool holds, const char* what) {
    if (!holds) findings.push_back(fmt::format("{} in run {}", what, run.index));
  };
  const auto counted = [](double x) { return x >= 1 && std::isfinite(x); };
  add(counted(answers.query_count), "'query_count' is below 1");
  add(counted(answers.answer_count), "'answer_count' is below 1");
  // An answer may have no query.
  add(std::ranges::all_of(answers.probability, [](double p) { return p >= 0 && p <= max_probability; }),
      "'answer_group_probability' leaves [0, 1]");
  add(std::ranges::all_of(answers.class_answer,
                          [&](double group) {
                            return group >= 0 && group < static_cast<double>(answers.count.size()) &&
                                   group == std::floor(group);
                          }),
      "'class_answer' is not an index of 'answer_group'");
}

/// True for UTF-8 that a file can hold: a zero byte would end it.
bool is_text(std::string_view text) {
  while (!text.empty() && text[0] != '\0' && character_length(text) > 0)
    text.remove_prefix(character_length(text));
  return text.empty();
}

/// True for a variable that one series can have, with a name that no other dataset of a file has.
bool is_described(const Variable& variable, const std::vector<Variable>& all) {
  const std::string& name = variable.name;
  return name.find_first_not_of(name_letters) == std::string::npos && find_row(all, name) == &variable &&
         !name.empty() && !name.starts_with("param_") && find_row(result_dimensions(), name) == nullptr &&
         find_row(result_fields(), name) == nullptr &&
         std::ranges::all_of(variable_texts,
                             [&](const auto& text) { return is_text(variable.*text.second); });
}

std::string run_flaw(const Result& result, const Run& run) {
  std::string flaw = group_flaw(run);
  for (const ResultField& field : result_fields()) {
    visit_field(field, run, [&]<class T>(const T& value) {
      bool right = true;
      if constexpr (std::is_same_v<T, std::string>) right = is_text(value);
      if constexpr (std::is_same_v<T, std::vector<std::string>>) right = std::ranges::all_of(value, is_text);
      if (!right) flaw = fmt::format("'{}' is not UTF-8", field.name);
    });
  }
  if (mapped(run.trajectories, &Trajectory::optimizer) != result.optimizers)
    flaw = "its trajectories are not those of its optimizers";
  for (const Trajectory& trajectory : run.trajectories) {
    for (const auto& [name, values] : trajectory.series) {
      const Variable* const variable = find_row(result.variables, name);
      const std::size_t row = variable ? width_of(run, variable->along) : 0, steps = result.steps.size();
      if (!variable || (row == 0 ? !values.empty() : values.size() % row != 0 || values.size() / row > steps))
        flaw = fmt::format("'{}' has {} values for {} steps of {}", name, values.size(), steps, row);
    }
  }
  return flaw;
}

}  // namespace

std::string result_flaw(const Result& result) {
  if (result.runs.empty() || result.optimizers.empty() || result.steps.empty())
    return "no run, optimizer or step";
  if (!std::ranges::all_of(result.optimizers, is_text)) return "'optimizer' is not UTF-8";
  for (const Variable& variable : result.variables)
    if (!is_described(variable, result.variables))
      return fmt::format("'{}' cannot be the name of a series", variable.name);
  for (const std::string& name : required_series(result.variables))
    if (find_row(result.variables, name) == nullptr) return fmt::format("'{}' is missing", name);
  std::string flaw;
  for (auto run = result.runs.begin(); run != result.runs.end() && flaw.empty(); ++run)
    flaw = run_flaw(result, *run);
  return flaw;
}

void refuse_other_result(const std::filesystem::path& path, const std::string& experiment) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return;
  std::string stored;
  try {
    stored = read_experiment_text(path);
  } catch (const DamagedResult& damage) {
    throw DamagedResult(fmt::format("{}; move it away or delete it to compute it again", damage.what()));
  } catch (const FileError& unreadable) {
    if (std::filesystem::is_regular_file(path)) read_bytes(path);  // fails again if the disk does
    throw InputError(
        fmt::format("{}; it exists but is not a readable result file, so it is not overwritten: move it "
                    "away or choose another output with -o",
                    unreadable.what()));
  }
  if (stored != experiment) {
    throw InputError(fmt::format(
        "{}: is the result of a different experiment, so it is not overwritten: move it away or choose "
        "another output with -o; --reuse copies the points that it shares with a sweep",
        path.string()));
  }
}

std::string result_state(const std::filesystem::path& path, const std::string& experiment) {
  if (!std::filesystem::is_regular_file(path)) return "not there yet";
  try {
    return read_experiment_text(path) == experiment ? "there" : "of a different experiment";
  } catch (const DamagedResult& error) {
    return "damaged: " + std::string(error.what()).substr(path.string().size() + 2);
  } catch (const FileError&) {
    return "there, but not a readable result file";
  }
}

void write_result(const Result& result, const std::filesystem::path& path) {
  write_result_file(encode_result(result), result.experiment, path);
}

void write_result_file(const FileBytes& bytes, const std::string& experiment,
                       const std::filesystem::path& path) {
  write_with_checksum(bytes, path, [&] { refuse_other_result(path, experiment); });
}

Result read_result(const std::filesystem::path& path) {
  return read_stored_result(path).result;
}

std::vector<std::string> implausible_values(const Result& result) {
  std::vector<std::string> findings;
  const auto& steps = result.steps;
  if (steps.front() < 0 || std::ranges::adjacent_find(steps, std::greater_equal<>()) != steps.end())
    findings.emplace_back("'step' does not ascend from 0 or more");
  const std::set<std::string> labels(result.optimizers.begin(), result.optimizers.end());
  if (labels.size() != result.optimizers.size() || labels.contains(""))
    findings.emplace_back("'optimizer' has a label twice or an empty one");
  std::set<std::int64_t> indices;
  for (const Run& run : result.runs) {
    if (run.index < 0 || !indices.insert(run.index).second)
      findings.push_back(fmt::format("'run' has the index {} twice, or it is negative", run.index));
    // A missing point has a single group without classes.
    const bool any = !run.class_count.empty() && run.class_count.front() > 0;
    if (any && !std::ranges::all_of(run.class_probability, is_probability_of_class))
      findings.push_back(fmt::format("'class_probability' leaves (0, 1] in run {}", run.index));
    if (run.answers) add_implausible_answers(run, findings);
    for (const Trajectory& trajectory : run.trajectories) {
      if (!(trajectory.status == status_of(trajectory.status)))
        findings.push_back(fmt::format("'status' is \"{}\" in run {}, optimizer {}", trajectory.status,
                                       run.index, trajectory.optimizer));
      for (const auto& [name, values] : trajectory.series) {
        if (is_share(name) && std::ranges::any_of(values, leaves_unit_interval))
          findings.push_back(fmt::format("'{}' leaves [0, 1] in run {}, optimizer {}", name, run.index,
                                         trajectory.optimizer));
        if ((name == "digits" || name.ends_with("_digits")) &&
            std::ranges::any_of(values, is_no_number_of_digits))
          findings.push_back(fmt::format("'{}' is no number of digits in run {}, optimizer {}", name,
                                         run.index, trajectory.optimizer));
      }
    }
  }
  return findings;
}

}  // namespace rarefact
