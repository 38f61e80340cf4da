#include "tables/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/text.hpp"
#include "results/result_file.hpp"
#include "tables/view.hpp"

namespace rarefact {

namespace {

using Line = std::vector<std::string>;

constexpr double learned_error = 0.1;
/// More runs than this share one table.
constexpr std::size_t most_tables = 4;
constexpr std::size_t most_rows = 2000;
constexpr std::size_t most_endings = 10;
/// More values of an axis than this are not all shown.
constexpr std::size_t most_values = 12;

const Line& heads() {
  static const Line line = {
      "optimizer",  "engine",    "total loss", "head error",
      "tail error", "head loss", "tail loss",  fmt::format("steps to error < {}", learned_error)};
  return line;
}

Line without_class_losses(Line line) {
  line.erase(line.begin() + 5, line.begin() + 7);
  return line;
}

Line line_of(const Run& run, const Trajectory& trajectory, const std::vector<std::int64_t>& steps) {
  const std::size_t groups = run.class_count.size();
  const Numbers loss = recorded_numbers(run, trajectory, "loss", false);
  const Numbers error = recorded_numbers(run, trajectory, "error", true);
  const Numbers class_loss = recorded_numbers(run, trajectory, "class_loss", true);
  const auto last = [&](const Numbers& numbers, std::size_t rows, std::size_t group) -> std::string {
    const auto record = last_record(numbers, steps.size(), rows);
    if (!record) return "-";
    const double value = numbers(*record, group);
    // Errors and losses of a softmax are positive: a zero is one that no double can hold.
    return value == 0 ? "<1e-307" : fmt::format("{:.4g}", value);
  };
  const auto steps_to_learn_all = [&]() -> std::string {
    const auto end = last_record(error, steps.size(), groups);
    for (std::size_t record = 0; end && record < steps.size(); ++record) {
      std::size_t learned = 0;
      while (learned < groups && error(record, learned) < learned_error) ++learned;
      if (learned == groups) return std::to_string(steps[record]);
    }
    return end ? fmt::format("not reached (> {})", steps[*end]) : "-";
  };
  return {trajectory.optimizer,
          trajectory.engine,
          last(loss, 1, 0),
          last(error, groups, 0),
          last(error, groups, groups - 1),
          last(class_loss, groups, 0),
          last(class_loss, groups, groups - 1),
          steps_to_learn_all()};
}

std::string run_name(const Run& run) {
  Line parts;
  for (const auto& [key, value] : run.parameters) parts.push_back(key + " = " + swept_text(value));
  return fmt::format("run {}{}{}", run.index, parts.empty() ? "" : ": ", joined(parts));
}

/// How a trajectory ended that is not complete; empty if it is complete.
std::string ending_text(const Trajectory& trajectory) {
  const std::string& label = trajectory.optimizer;
  if (trajectory.status == "complete") return {};
  if (trajectory.status == "failed") {
    return fmt::format("{} failed and has no numbers{}{}", label,
                       trajectory.status_detail.empty() ? "" : ": ", trajectory.status_detail);
  }
  if (trajectory.status == "uncertified") {
    return fmt::format(
        "{} is uncertified: its numbers are there, but {} the tolerance", label,
        std::isfinite(trajectory.quadrature_error)
            ? fmt::format("their certified error, {:.2g}, is above", trajectory.quadrature_error)
            : "no error is certified for them, whatever");
  }
  return fmt::format("{} {} after step {}; its numbers are the last finite ones recorded", label,
                     trajectory.status, trajectory.status_step);
}

}  // namespace

std::string swept_text(const SweptValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? *text : fmt::format("{:.12g}", std::get<double>(value));
}

EndTable::EndTable(const Result& head, std::size_t runs)
    : steps_(head.steps), runs_(runs), most_shown_(std::min(runs, most_rows / head.optimizers.size() + 1)) {}

void EndTable::add(const Run& run) {
  const bool shown = shown_.size() < most_shown_;
  if (shown) shown_.push_back({run_name(run), run.parameters, {}, {}});
  for (const auto& entry : run.parameters) keys_.insert(entry.first);
  for (const Trajectory& trajectory : run.trajectories) {
    any_quadrature_ = any_quadrature_ || trajectory.engine == "quadrature";
    // Written so that NaN, nothing certified, is larger than any error.
    if (!(trajectory.quadrature_error <= largest_error_)) largest_error_ = trajectory.quadrature_error;
    if (shown) shown_.back().lines.push_back(line_of(run, trajectory, steps_));
    const std::string ending = ending_text(trajectory);
    if (ending.empty()) continue;
    if (runs_ <= most_tables) {
      shown_.back().endings += ending + "\n";
    } else if (++incomplete_ <= most_endings) {
      endings_ += fmt::format("{}: {}\n", run_name(run), ending);
    }
  }
}

std::string EndTable::run_tables() const {
  std::string text;
  for (const Shown& run : shown_) {
    if (runs_ > 1) text += (text.empty() ? "" : "\n") + run.name + "\n";
    std::vector<Line> lines = run.lines;
    lines.insert(lines.begin(), heads());
    text += aligned_table(lines) + run.endings;
  }
  return text;
}

std::string EndTable::list() const {
  std::vector<Line> lines;
  const auto add = [&](const Line& keys, const Line& rest) {
    const Line kept = without_class_losses(rest);
    lines.push_back(keys);
    lines.back().insert(lines.back().end(), kept.begin(), kept.end());
  };
  add({keys_.begin(), keys_.end()}, heads());
  for (const Shown& run : shown_) {
    Line values;
    for (const std::string& key : keys_) {
      const auto found = run.parameters.find(key);
      values.push_back(found == run.parameters.end() ? "-" : swept_text(found->second));
    }
    for (const Line& line : run.lines) add(values, line);
  }
  std::string text = aligned_table(lines);
  if (most_shown_ < runs_)
    text += fmt::format("and {} more runs; rarefact table shows any part\n", runs_ - most_shown_);
  text += endings_;
  if (incomplete_ > most_endings)
    text += fmt::format("and {} more that are not complete\n", incomplete_ - most_endings);
  return text;
}

std::string EndTable::text() const {
  std::string text = runs_ > most_tables ? list() : run_tables();
  if (any_quadrature_) {
    text += std::isfinite(largest_error_)
                ? fmt::format("quadrature: certified relative error of total error and loss at most {:.2g}\n",
                              largest_error_)
                : "quadrature: no error is certified\n";
  }
  text += "head: the most frequent classes; tail: the rarest; losses in nats\n";
  const bool every_step = steps_.back() - steps_.front() + 1 == static_cast<std::int64_t>(steps_.size());
  return text +
         (every_step ? "" : "steps are those recorded: the first one with every error below the mark\n");
}

std::string end_table(const Result& result) {
  EndTable table(result, result.runs.size());
  for (const Run& run : result.runs) table.add(run);
  return table.text();
}

namespace {

std::string describe_run(const Run& run, const std::vector<std::int64_t>& steps) {
  const double classes = std::accumulate(run.class_count.begin(), run.class_count.end(), 0.0);
  std::string text =
      fmt::format("\nrun {}: {:.13g} classes in {} groups\n", run.index, classes, run.class_count.size());
  for (const auto& [key, value] : run.parameters) text += fmt::format("  {} = {}\n", key, swept_text(value));
  std::vector<Line> lines = {{"optimizer", "engine", "status", "loss", "predicted"}};
  std::string details;
  for (const Trajectory& trajectory : run.trajectories) {
    // At the last recorded step that has one, and which step that is.
    const auto last = [&](const std::string& name) -> std::string {
      const Numbers numbers = recorded_numbers(run, trajectory, name, false);
      const auto record = last_record(numbers, steps.size());
      if (!record) return "-";
      return fmt::format("{:.6g}{}", numbers(*record, 0),
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
    Line values;
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
    text += fmt::format("  sweep: {}, {} value{}: {}\n", key, count, count == 1 ? "" : "s", joined(values));
  }
  return text;
}

}  // namespace

std::string describe_result(const std::filesystem::path& path) {
  const auto [result, provenance] = read_stored_result(path);
  Line names;
  for (const Variable& variable : result.variables) names.push_back(variable.name);
  const std::size_t runs = result.runs.size(), optimizers = result.optimizers.size();
  std::string text =
      fmt::format("{}\n  {} run{}, {} optimizer{}, {} recorded steps up to {}\n  variables: {}\n",
                  result.title, runs, runs == 1 ? "" : "s", optimizers, optimizers == 1 ? "" : "s",
                  result.steps.size(), result.steps.back(), joined(names));
  text += describe_axes(result);
  if (runs > most_tables) text += "\n" + end_table(result);
  for (std::size_t run = 0; runs <= most_tables && run < runs; ++run)
    text += describe_run(result.runs[run], result.steps);
  return text + fmt::format(
                    "loss in nats at step {} where no other is given\n\n"
                    "written by rarefact {} (commit {}, numerics {}), {}, HDF5 {}\nflags: {}\n",
                    result.steps.back(), provenance.rarefact_version, provenance.git_commit,
                    provenance.numerics_id, provenance.compiler, provenance.hdf5_version,
                    provenance.compiler_flags);
}

}  // namespace rarefact
