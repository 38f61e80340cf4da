#include "rarefact/io/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rarefact {

namespace {

constexpr double learned_error = 0.1;

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

/// The records of one per-class or total variable; a variable that was not measured has none.
struct Records {
  const std::vector<double>* values = nullptr;
  std::size_t row = 1;

  std::size_t size() const { return values == nullptr ? 0 : values->size() / row; }
  double at(std::size_t record, std::size_t group) const { return (*values)[record * row + group]; }
};

Records records(const Trajectory& trajectory, const std::string& name, std::size_t row) {
  const auto found = trajectory.series.find(name);
  return found == trajectory.series.end() ? Records{} : Records{&found->second, row};
}

std::string last_value(const Records& of, std::size_t group) {
  const std::ptrdiff_t last = of.values == nullptr ? -1 : last_record(*of.values, of.row);
  if (last < 0) return "-";
  const double value = of.at(static_cast<std::size_t>(last), group);
  // Errors and losses of a softmax are positive: a zero is one that no double can hold.
  return value == 0 ? "<1e-307" : fmt::format("{:.4g}", value);
}

std::string steps_to_learn_all(const Records& errors, const std::vector<std::int64_t>& steps) {
  for (std::size_t s = 0; s < errors.size(); ++s) {
    bool learned = true;
    // Written so that NaN is not learned.
    for (std::size_t g = 0; g < errors.row && learned; ++g) learned = errors.at(s, g) < learned_error;
    if (learned) return fmt::format("{}", steps[s]);
  }
  return fmt::format("not reached (> {})", steps.back());
}

bool every_step(const std::vector<std::int64_t>& steps) {
  return steps.back() - steps.front() + 1 == static_cast<std::int64_t>(steps.size());
}

std::string run_name(const Run& run) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : run.parameters) parts.push_back(fmt::format("{} = {}", key, value));
  return fmt::format("run {}{}{}", run.index, parts.empty() ? "" : ": ", fmt::join(parts, ", "));
}

}  // namespace

std::ptrdiff_t last_record(const std::vector<double>& series, std::size_t row) {
  for (std::size_t record = series.size() / row; record-- > 0;) {
    const auto first = series.begin() + static_cast<std::ptrdiff_t>(record * row);
    if (std::none_of(first, first + static_cast<std::ptrdiff_t>(row),
                     [](double x) { return std::isnan(x); })) {
      return static_cast<std::ptrdiff_t>(record);
    }
  }
  return -1;
}

std::string aligned_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], characters(row[c]));
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string space(widths[c] - characters(row[c]), ' ');
      if (c > 0) text += "  " + space + row[c];
      if (c == 0) text += row[c] + (row.size() > 1 ? space : "");
    }
    text += "\n";
  }
  return text;
}

std::string end_table(const Result& result) {
  std::string text;
  for (const Run& run : result.runs) {
    if (result.runs.size() > 1) text += fmt::format("{}{}\n", text.empty() ? "" : "\n", run_name(run));
    const std::size_t groups = run.class_count.size();
    std::vector<std::vector<std::string>> rows = {{"optimizer", "engine", "total loss", "head error",
                                                   "tail error", "head loss", "tail loss",
                                                   fmt::format("steps to error < {}", learned_error)}};
    for (const Trajectory& trajectory : run.trajectories) {
      const Records error = records(trajectory, "error", groups),
                    loss = records(trajectory, "class_loss", groups);
      rows.push_back({trajectory.optimizer, trajectory.engine, last_value(records(trajectory, "loss", 1), 0),
                      last_value(error, 0), last_value(error, groups - 1), last_value(loss, 0),
                      last_value(loss, groups - 1), steps_to_learn_all(error, result.steps)});
    }
    text += aligned_table(rows);
    for (const Trajectory& trajectory : run.trajectories) {
      if (trajectory.status == "complete") continue;
      text += fmt::format("{} {} after step {}; its numbers are the last finite ones recorded\n",
                          trajectory.optimizer, trajectory.status, trajectory.status_step);
    }
  }
  text += "head: the most frequent classes; tail: the rarest; losses in nats\n";
  if (!every_step(result.steps))
    text += "steps are those recorded: the first one with every error below the mark\n";
  return text;
}

}  // namespace rarefact
