#include "tables/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "tables/view.hpp"

namespace rarefact {

namespace {

using Line = std::vector<std::string>;

constexpr double learned_error = 0.1;
constexpr std::size_t most_rows = 2000;
/// Lines of one kind.
constexpr std::size_t most_lines = 10;

const Line& heads() {
  static const Line line = {
      "optimizer",  "engine",    "total loss", "head error",
      "tail error", "head loss", "tail loss",  fmt::format("steps to error < {}", learned_error)};
  return line;
}

Line line_of(const Run& run, const Trajectory& trajectory, const std::vector<std::int64_t>& steps) {
  const std::size_t groups = run.class_count.size();
  const Numbers loss = recorded_numbers(run, trajectory, "loss", false);
  const Numbers error = recorded_numbers(run, trajectory, "error", true);
  const Numbers class_loss = recorded_numbers(run, trajectory, "class_loss", true);
  const Numbers loss_digits = recorded_digits(run, trajectory, "loss");
  const Numbers error_digits = recorded_digits(run, trajectory, "error");
  const auto last = [&](const Numbers& numbers, std::size_t rows, std::size_t group,
                        const Numbers& digits) -> std::string {
    const auto record = last_record(numbers, steps.size(), rows);
    if (!record) return "-";
    const double value = numbers(*record, group);
    // Errors and losses of a softmax are positive: a zero is one that no double can hold.
    return value == 0 ? "<1e-307" : number_text(value, digits(*record, 0), 4);
  };
  const auto end = last_record(error, steps.size(), groups);
  std::string steps_to_learn_all = end ? fmt::format("not reached (> {})", steps[*end]) : "-";
  for (std::size_t record = 0, learned = 0; end && learned < groups && record < steps.size(); ++record) {
    for (learned = 0; learned < groups && error(record, learned) < learned_error;) ++learned;
    if (learned == groups) steps_to_learn_all = std::to_string(steps[record]);
  }
  return {trajectory.optimizer,
          trajectory.engine,
          last(loss, 1, 0, loss_digits),
          last(error, groups, 0, error_digits),
          last(error, groups, groups - 1, error_digits),
          last(class_loss, groups, 0, loss_digits),
          last(class_loss, groups, groups - 1, loss_digits),
          steps_to_learn_all};
}

std::string run_name(const Run& run) {
  Line parts;
  for (const auto& [key, value] : run.parameters) parts.push_back(key + " = " + swept_text(value));
  return fmt::format("run {}{}{}", run.index, parts.empty() ? "" : ": ", joined(parts));
}

/// How a trajectory ended that is not complete.
std::string ending_text(const Trajectory& trajectory) {
  const std::string& label = trajectory.optimizer;
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
  if (trajectory.status == "digits_lost") {
    return fmt::format(
        "{} loses its digits: {} from step {} on (?: fewer than 3 digits of a number are left)", label,
        trajectory.status_detail, trajectory.status_step);
  }
  return fmt::format("{} {} after step {}; its numbers are the last finite ones recorded", label,
                     trajectory.status, trajectory.status_step);
}

}  // namespace

void ClosingReport::FirstLines::add(const std::string& line) {
  if (++count <= most_lines) first += start + line + "\n";
}

std::string ClosingReport::FirstLines::text() const {
  return first +
         (count > most_lines ? fmt::format("{}and {} more {}\n", start, count - most_lines, kind) : "");
}

ClosingReport::ClosingReport(const Result& head, std::size_t runs)
    : steps_(head.steps), runs_(runs), most_shown_(std::min(runs, most_rows / head.optimizers.size() + 1)) {}

ClosingReport::ClosingReport(const Result& result) : ClosingReport(result, result.runs.size()) {
  for (const Run& run : result.runs) add(run);
}

void ClosingReport::add(const Run& run) {
  const bool shown = shown_.size() < most_shown_;
  if (shown) shown_.emplace_back().run.index = run.index;
  if (shown) shown_.back().run.parameters = run.parameters;
  for (const auto& entry : run.parameters) keys_.insert(entry.first);
  const std::string where = runs_ > 1 ? fmt::format("run {}: ", run.index) : "";
  for (const Trajectory& trajectory : run.trajectories) {
    any_quadrature_ = any_quadrature_ || trajectory.engine == "quadrature";
    // Written so that NaN, nothing certified, is larger than any error.
    if (!(trajectory.quadrature_error <= largest_error_)) largest_error_ = trajectory.quadrature_error;
    if (shown) shown_.back().lines.push_back(line_of(run, trajectory, steps_));
    if (trajectory.step_size_edge != 0) {
      at_edge_.add(fmt::format("{}{}: the best step size, {}, is the {} tried; a better one may lie beyond",
                               where, trajectory.optimizer, trajectory.step_size,
                               trajectory.step_size_edge < 0 ? "least" : "largest"));
    }
    if (trajectory.status == "complete") continue;
    failed_ = failed_ || trajectory.status == "failed";
    incomplete_.add(fmt::format("{}{} {} {} step {}{}{}", where, trajectory.optimizer, trajectory.status,
                                trajectory.status == "digits_lost" ? "at" : "after", trajectory.status_step,
                                trajectory.status_detail.empty() ? "" : ": ", trajectory.status_detail));
    if (runs_ > most_tables) endings_.add(fmt::format("{}: {}", run_name(run), ending_text(trajectory)));
    if (runs_ <= most_tables) shown_.back().endings += ending_text(trajectory) + "\n";
  }
}

std::string ClosingReport::run_tables() const {
  std::string text;
  for (const Shown& run : shown_) {
    if (runs_ > 1) text += (text.empty() ? "" : "\n") + run_name(run.run) + "\n";
    std::vector<Line> lines = run.lines;
    lines.insert(lines.begin(), heads());
    text += aligned_table(lines) + run.endings;
  }
  return text;
}

std::string ClosingReport::list() const {
  std::vector<Line> lines;
  const auto add = [&](Line keys, const Line& rest) {
    keys.insert(keys.end(), rest.begin(), rest.begin() + 5);
    keys.insert(keys.end(), rest.begin() + 7, rest.end());  // without the losses of head and tail
    lines.push_back(std::move(keys));
  };
  add({keys_.begin(), keys_.end()}, heads());
  for (const Shown& run : shown_) {
    Line values;
    for (const std::string& key : keys_) values.push_back(swept_text(swept_value(run.run, key)));
    for (const Line& line : run.lines) add(values, line);
  }
  std::string text = aligned_table(lines);
  if (most_shown_ < runs_)
    text += fmt::format("and {} more runs; rarefact table shows any part\n", runs_ - most_shown_);
  return text + endings_.text();
}

std::string ClosingReport::table() const {
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

}  // namespace rarefact
