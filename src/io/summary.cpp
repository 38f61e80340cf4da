#include "rarefact/io/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace rarefact {

namespace {

constexpr double learned_error = 0.1;
/// More runs than this share one table.
constexpr std::size_t most_tables = 4;
constexpr std::size_t most_rows = 2000;
constexpr std::size_t most_endings = 10;

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
  const std::ptrdiff_t last = errors.values == nullptr ? -1 : last_record(*errors.values, errors.row);
  if (last < 0) return "-";
  for (std::size_t s = 0; s < errors.size(); ++s) {
    bool learned = true;
    // Written so that NaN is not learned.
    for (std::size_t g = 0; g < errors.row && learned; ++g) learned = errors.at(s, g) < learned_error;
    if (learned) return fmt::format("{}", steps[s]);
  }
  return fmt::format("not reached (> {})", steps[static_cast<std::size_t>(last)]);
}

bool every_step(const std::vector<std::int64_t>& steps) {
  return steps.back() - steps.front() + 1 == static_cast<std::int64_t>(steps.size());
}

std::string run_name(const Run& run) {
  std::vector<std::string> parts;
  for (const auto& [key, value] : run.parameters)
    parts.push_back(fmt::format("{} = {}", key, swept_text(value)));
  return fmt::format("run {}{}{}", run.index, parts.empty() ? "" : ": ", fmt::join(parts, ", "));
}

std::string learned_head() {
  return fmt::format("steps to error < {}", learned_error);
}

/// A table of its own for every run.
std::string run_tables(const Result& result) {
  std::string text;
  for (const Run& run : result.runs) {
    if (result.runs.size() > 1) text += fmt::format("{}{}\n", text.empty() ? "" : "\n", run_name(run));
    const std::size_t groups = run.class_count.size();
    std::vector<std::vector<std::string>> rows = {{"optimizer", "engine", "total loss", "head error",
                                                   "tail error", "head loss", "tail loss", learned_head()}};
    for (const Trajectory& trajectory : run.trajectories) {
      const Records error = records(trajectory, "error", groups),
                    loss = records(trajectory, "class_loss", groups);
      rows.push_back({trajectory.optimizer, trajectory.engine, last_value(records(trajectory, "loss", 1), 0),
                      last_value(error, 0), last_value(error, groups - 1), last_value(loss, 0),
                      last_value(loss, groups - 1), steps_to_learn_all(error, result.steps)});
    }
    text += aligned_table(rows);
    for (const Trajectory& trajectory : run.trajectories) {
      const std::string ending = ending_text(trajectory);
      if (!ending.empty()) text += ending + "\n";
    }
  }
  return text;
}

std::set<std::string> swept_keys_of(const Result& result) {
  std::set<std::string> keys;
  for (const Run& run : result.runs) {
    for (const auto& entry : run.parameters) keys.insert(entry.first);
  }
  return keys;
}

/// One table for all runs, and the first few endings that need a word.
std::string list_of_runs(const Result& result) {
  const std::set<std::string> keys = swept_keys_of(result);
  std::vector<std::vector<std::string>> rows(1);
  rows[0].assign(keys.begin(), keys.end());
  rows[0].insert(rows[0].end(),
                 {"optimizer", "engine", "total loss", "head error", "tail error", learned_head()});
  std::vector<std::string> endings;
  const std::size_t shown = std::min(result.runs.size(), most_rows / result.optimizers.size() + 1);
  for (std::size_t r = 0; r < result.runs.size(); ++r) {
    const Run& run = result.runs[r];
    const std::size_t groups = run.class_count.size();
    for (const Trajectory& trajectory : run.trajectories) {
      const std::string ending = ending_text(trajectory);
      if (!ending.empty()) endings.push_back(fmt::format("{}: {}", run_name(run), ending));
      if (r >= shown) continue;
      auto& row = rows.emplace_back();
      for (const std::string& key : keys) {
        const auto found = run.parameters.find(key);
        row.push_back(found == run.parameters.end() ? "-" : swept_text(found->second));
      }
      const Records error = records(trajectory, "error", groups);
      row.insert(row.end(), {trajectory.optimizer, trajectory.engine,
                             last_value(records(trajectory, "loss", 1), 0), last_value(error, 0),
                             last_value(error, groups - 1), steps_to_learn_all(error, result.steps)});
    }
  }
  std::string text = aligned_table(rows);
  if (shown < result.runs.size())
    text += fmt::format("and {} more runs; rarefact table shows any part\n", result.runs.size() - shown);
  for (std::size_t e = 0; e < std::min(endings.size(), most_endings); ++e) text += endings[e] + "\n";
  if (endings.size() > most_endings)
    text += fmt::format("and {} more that are not complete\n", endings.size() - most_endings);
  return text;
}

/// The largest certified error; empty where no optimizer ran on a quadrature.
std::string quadrature_line(const Result& result) {
  double largest = 0;
  bool any = false;
  for (const Run& run : result.runs) {
    for (const Trajectory& trajectory : run.trajectories) {
      any = any || trajectory.engine == "quadrature";
      // Written so that NaN, nothing certified, is larger than any error.
      if (!(trajectory.quadrature_error <= largest)) largest = trajectory.quadrature_error;
    }
  }
  if (!any) return {};
  if (!std::isfinite(largest)) return "quadrature: no error is certified\n";
  return fmt::format("quadrature: certified relative error of total error and loss at most {:.2g}\n",
                     largest);
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

std::string swept_text(const SweptValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? *text : fmt::format("{:.12g}", std::get<double>(value));
}

std::string ending_text(const Trajectory& trajectory) {
  const std::string& label = trajectory.optimizer;
  const std::string detail = trajectory.status_detail.empty() ? "" : ": " + trajectory.status_detail;
  if (trajectory.status == "complete") return {};
  if (trajectory.status == "failed") return fmt::format("{} failed and has no numbers{}", label, detail);
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

std::string end_table(const Result& result) {
  std::string text = result.runs.size() > most_tables ? list_of_runs(result) : run_tables(result);
  text += quadrature_line(result);
  text += "head: the most frequent classes; tail: the rarest; losses in nats\n";
  if (!every_step(result.steps))
    text += "steps are those recorded: the first one with every error below the mark\n";
  return text;
}

}  // namespace rarefact
