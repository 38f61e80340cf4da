#include "tables/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

namespace rarefact {

namespace {

constexpr double learned_error = 0.1;
/// More runs than this share one table.
constexpr std::size_t most_tables = 4;
constexpr std::size_t most_rows = 2000;
constexpr std::size_t most_endings = 10;

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

namespace {

/// A run with the series that its table shows, and no other.
Run shown_part(const Run& run) {
  Run part = {run.index, run.parameters, run.class_count, {}, {}, {}};
  for (const Trajectory& trajectory : run.trajectories) {
    Trajectory& kept = part.trajectories.emplace_back();
    kept.optimizer = trajectory.optimizer;
    kept.engine = trajectory.engine;
    kept.status = trajectory.status;
    kept.status_step = trajectory.status_step;
    kept.status_detail = trajectory.status_detail;
    kept.quadrature_error = trajectory.quadrature_error;
    for (const char* name : {"loss", "error", "class_loss"}) {
      const auto found = trajectory.series.find(name);
      if (found != trajectory.series.end()) kept.series.insert(*found);
    }
  }
  return part;
}

std::string closing_lines(const std::vector<std::int64_t>& steps) {
  return std::string("head: the most frequent classes; tail: the rarest; losses in nats\n") +
         (every_step(steps) ? ""
                            : "steps are those recorded: the first one with every error below the mark\n");
}

}  // namespace

EndTable::EndTable(Result head, std::size_t runs) : result_(std::move(head)), runs_(runs) {
  shown_ = std::min(runs, most_rows / result_.optimizers.size() + 1);
}

void EndTable::add(const Run& run) {
  for (const Trajectory& trajectory : run.trajectories) {
    any_quadrature_ = any_quadrature_ || trajectory.engine == "quadrature";
    // Written so that NaN, nothing certified, is larger than any error.
    if (!(trajectory.quadrature_error <= largest_error_)) largest_error_ = trajectory.quadrature_error;
  }
  if (runs_ <= most_tables) {
    result_.runs.push_back(shown_part(run));
    return;
  }
  const std::size_t groups = run.class_count.size();
  for (const auto& entry : run.parameters) keys_.insert(entry.first);
  for (const Trajectory& trajectory : run.trajectories) {
    const std::string ending = ending_text(trajectory);
    if (!ending.empty() && ++incomplete_ <= most_endings)
      endings_.push_back(fmt::format("{}: {}", run_name(run), ending));
    if (added_ >= shown_) continue;
    const Records error = records(trajectory, "error", groups);
    rows_.push_back(
        {run.parameters,
         {trajectory.optimizer, trajectory.engine, last_value(records(trajectory, "loss", 1), 0),
          last_value(error, 0), last_value(error, groups - 1), steps_to_learn_all(error, result_.steps)}});
  }
  ++added_;
}

std::string EndTable::list() const {
  std::vector<std::vector<std::string>> rows(1);
  rows[0].assign(keys_.begin(), keys_.end());
  rows[0].insert(rows[0].end(),
                 {"optimizer", "engine", "total loss", "head error", "tail error", learned_head()});
  for (const Row& shown : rows_) {
    auto& row = rows.emplace_back();
    for (const std::string& key : keys_) {
      const auto found = shown.parameters.find(key);
      row.push_back(found == shown.parameters.end() ? "-" : swept_text(found->second));
    }
    row.insert(row.end(), shown.cells.begin(), shown.cells.end());
  }
  std::string text = aligned_table(rows);
  if (shown_ < runs_)
    text += fmt::format("and {} more runs; rarefact table shows any part\n", runs_ - shown_);
  for (const std::string& ending : endings_) text += ending + "\n";
  if (incomplete_ > endings_.size())
    text += fmt::format("and {} more that are not complete\n", incomplete_ - endings_.size());
  return text;
}

std::string EndTable::text() const {
  std::string text = runs_ > most_tables ? list() : run_tables(result_);
  if (any_quadrature_) {
    text += std::isfinite(largest_error_)
                ? fmt::format("quadrature: certified relative error of total error and loss at most {:.2g}\n",
                              largest_error_)
                : "quadrature: no error is certified\n";
  }
  return text + closing_lines(result_.steps);
}

std::string end_table(const Result& result) {
  Result head;
  head.steps = result.steps;
  head.optimizers = result.optimizers;
  EndTable table(std::move(head), result.runs.size());
  for (const Run& run : result.runs) table.add(run);
  return table.text();
}

}  // namespace rarefact
