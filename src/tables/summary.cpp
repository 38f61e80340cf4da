#include "tables/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/end_rows.hpp"
#include "core/first_index.hpp"
#include "core/status.hpp"
#include "core/text.hpp"
#include "core/transform.hpp"
#include "rarefact/error.hpp"
#include "tables/run_notes.hpp"
#include "tables/view.hpp"

namespace rarefact {

namespace {

using Line = std::vector<std::string>;

constexpr double learned_error = 0.1;
constexpr std::size_t most_rows = 2000;
/// Lines of one kind.
constexpr std::size_t most_lines = 10;

/// A column of the table. Where several runs share one, some have no place.
struct Column {
  std::string head;
  bool in_list = true;
};

const std::vector<Column>& columns(bool squares) {
  static const std::vector<Column>
      of_softmax = {{"loss"},       {"predicted"}, {"head error", false},
                    {"tail error"}, {"predicted"}, {fmt::format("steps to {}", learned_error)}},
      of_squares = {
          {"loss"},     {"predicted"}, {"excess loss"}, {"head coefficient", false}, {"tail coefficient"},
          {"predicted"}};
  return squares ? of_squares : of_softmax;
}

/// The entries of the columns.
Line line_of(const Run& run, const Trajectory& trajectory, const std::vector<std::int64_t>& steps,
             bool squares) {
  const std::size_t groups = run.class_count.size();
  const auto [head, tail] = end_rows(run.class_probability);
  const std::string shown = squares ? "coefficient" : "error";
  const Numbers error = recorded_numbers(run, trajectory, shown, Along::class_groups);
  const auto end = last_record(error, steps.size(), groups);
  const auto last_loss = last_record(recorded_numbers(run, trajectory, "loss"), steps.size());
  // Of a prediction at the record of what was measured.
  const auto at = [&](const std::string& name, std::optional<std::size_t> record, Along along,
                      std::size_t group) {
    const double value =
        record ? recorded_numbers(run, trajectory, name, along)(*record, group) : std::nan("");
    if (std::isnan(value)) return std::string("-");
    // Errors and losses of a softmax are positive: a zero is one that no double can hold.
    return value == 0 && !squares ? "<1e-307"
                                  : number_text(value, recorded_digits(run, trajectory, name)(*record, 0), 4);
  };
  if (squares)
    return {at("loss", last_loss, Along::nothing, 0),
            at("loss_predicted", last_loss, Along::nothing, 0),
            at("excess_loss", last_loss, Along::nothing, 0),
            at(shown, end, Along::class_groups, head),
            at(shown, end, Along::class_groups, tail),
            at(shown + "_predicted", end, Along::class_groups, tail)};
  std::string steps_to_learn_all = "-";
  if (end) {
    const std::size_t learned = first_index(steps.size(), [&](std::size_t record) {
      return first_index(groups, [&](std::size_t g) { return !(error(record, g) < learned_error); }) ==
             groups;
    });
    steps_to_learn_all =
        learned < steps.size() ? std::to_string(steps[learned]) : fmt::format(">{}", steps[*end]);
  }
  return {at("loss", last_loss, Along::nothing, 0),
          at("loss_predicted", last_loss, Along::nothing, 0),
          at("error", end, Along::class_groups, head),
          at("error", end, Along::class_groups, tail),
          at("error_predicted", end, Along::class_groups, tail),
          steps_to_learn_all};
}

std::string run_name(const Run& run) {
  return fmt::format("run {}{}{}", run.index, run.parameters.empty() ? "" : ": ",
                     parameter_text(run.parameters));
}

/// How a trajectory ended that is not complete.
std::string ending_text(const Trajectory& trajectory) {
  const std::string& label = trajectory.optimizer;
  if (trajectory.status == Status::failed) {
    return fmt::format("{} failed and has no numbers{}{}", label,
                       trajectory.status_detail.empty() ? "" : ": ", trajectory.status_detail);
  }
  if (trajectory.status == Status::uncertified) {
    return fmt::format(
        "{} is uncertified: its numbers are there, but {} the tolerance", label,
        std::isfinite(trajectory.quadrature_error)
            ? fmt::format("their certified error, {:.2g}, is above", trajectory.quadrature_error)
            : "no error is certified for them, whatever");
  }
  if (trajectory.status == Status::digits_lost) {
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
    : steps_(head.steps),
      squares_(find_row(head.variables, "coefficient") != nullptr),
      runs_(runs),
      most_shown_(std::min(runs, most_rows / head.optimizers.size() + 1)) {
  try {
    plan_ = parse_plan(head.experiment, head.title);
  } catch (const InputError&) {
    // Of an older program, perhaps; then what follows from its experiment is not said.
  }
}

ClosingReport::ClosingReport(const Result& result) : ClosingReport(result, result.runs.size()) {
  for (const Run& run : result.runs) add(run);
}

std::optional<Experiment> ClosingReport::experiment_of(const Run& run) const {
  if (!plan_ || run.index < 0 || static_cast<std::size_t>(run.index) >= plan_->size()) return {};
  Experiment experiment = plan_->point(static_cast<std::size_t>(run.index)).experiment;
  if (experiment.optimizers.size() != run.trajectories.size()) return {};
  return experiment;
}

void ClosingReport::add(const Run& run) {
  const bool shown = shown_.size() < most_shown_;
  if (shown) shown_.emplace_back().run.index = run.index;
  if (shown) shown_.back().run.parameters = run.parameters;
  for (const auto& entry : run.parameters) keys_.insert(entry.first);
  const std::string where = runs_ > 1 ? fmt::format("run {}: ", run.index) : "";
  const auto experiment = shown ? experiment_of(run) : std::nullopt;
  for (std::size_t o = 0; o < run.trajectories.size(); ++o) {
    const Trajectory& trajectory = run.trajectories[o];
    const OptimizerChoice* choice = experiment ? &experiment->optimizers[o] : nullptr;
    auto& on_engine = engines_[trajectory.engine];
    if (std::ranges::count(on_engine, trajectory.optimizer) == 0) on_engine.push_back(trajectory.optimizer);
    if (trajectory.fast_forward_error > 0 && trajectory.updates < steps_.back()) {
      Updates& made =
          updates_.try_emplace(trajectory.optimizer, Updates{trajectory.updates, trajectory.updates})
              .first->second;
      made.least = std::min(made.least, trajectory.updates);
      made.most = std::max(made.most, trajectory.updates);
      made.error = std::max(made.error, trajectory.fast_forward_error);
    }
    any_quadrature_ = any_quadrature_ || trajectory.engine == "quadrature";
    // Written so that NaN, nothing certified, is larger than any error.
    if (!(trajectory.quadrature_error <= largest_error_)) largest_error_ = trajectory.quadrature_error;
    if (shown) {
      Line line = line_of(run, trajectory, steps_, squares_);
      line.insert(line.begin(), {trajectory.optimizer, fmt::format("{:.4g}", trajectory.step_size)});
      shown_.back().lines.push_back(std::move(line));
    }
    if (choice != nullptr) {
      if (const std::string text = step_size_text(*choice, trajectory); !text.empty()) {
        shown_.back().step_sizes += text + "\n";
        chosen_ = true;
      }
      if (const std::string text = epsilon_text(*experiment, *choice, run); !text.empty()) {
        Held& held = held_[trajectory.optimizer];
        if (held.runs++ == 0) held.first = where + trajectory.optimizer + ": " + text;
      }
    }
    if (trajectory.step_size_edge != 0) {
      const bool largest = trajectory.step_size_edge > 0;
      const bool never = largest && choice != nullptr && loss_falls_with_step_size(*experiment, *choice);
      at_edge_.add(
          fmt::format("{}{}: the best step size, {}, is the {} tried; {}", where, trajectory.optimizer,
                      trajectory.step_size, largest ? "largest" : "least",
                      never ? "without label noise larger is always better: the loss tends to 0 as the step "
                              "size grows, so none is best"
                            : "a better one may lie beyond"));
    }
    if (const std::string text = parting_text(trajectory, steps_); !text.empty())
      parting_.add(where + trajectory.optimizer + ": " + text);
    if (trajectory.status == Status::complete) {
      if (!trajectory.status_detail.empty())
        notes_.add(fmt::format("{}{}: {}", where, trajectory.optimizer, trajectory.status_detail));
      continue;
    }
    failed_ = failed_ || trajectory.status == Status::failed;
    incomplete_.add(fmt::format("{}{} {} {} step {}{}{}", where, trajectory.optimizer, trajectory.status,
                                trajectory.status == Status::digits_lost ? "at" : "after",
                                trajectory.status_step, trajectory.status_detail.empty() ? "" : ": ",
                                trajectory.status_detail));
    if (runs_ > most_tables) endings_.add(fmt::format("{}: {}", run_name(run), ending_text(trajectory)));
    if (runs_ <= most_tables) shown_.back().endings += ending_text(trajectory) + "\n";
  }
}

std::string ClosingReport::warnings() const {
  std::string text = at_edge_.text() + parting_.text() + notes_.text();
  for (const auto& [optimizer, held] : held_) {
    text += fmt::format("warning: {}{}\n", held.first,
                        held.runs > 1 ? fmt::format("; so in {} more runs", held.runs - 1) : "");
  }
  return text + incomplete_.text();
}

std::string ClosingReport::run_tables() const {
  std::string text;
  for (const Shown& run : shown_) {
    if (runs_ > 1) text += (text.empty() ? "" : "\n") + run_name(run.run) + "\n";
    std::vector<Line> lines = {{"optimizer"}};
    for (const Column& column : columns(squares_)) lines[0].push_back(column.head);
    for (Line line : run.lines) {
      line.erase(line.begin() + 1);  // the step size
      lines.push_back(std::move(line));
    }
    text += aligned_table(lines) + run.step_sizes + run.endings;
  }
  return text;
}

std::string ClosingReport::list() const {
  std::vector<Line> lines = {{keys_.begin(), keys_.end()}};
  lines[0].emplace_back("optimizer");
  if (chosen_) lines[0].emplace_back("step size");
  for (const Column& column : columns(squares_)) {
    if (column.in_list) lines[0].push_back(column.head);
  }
  for (const Shown& run : shown_) {
    for (const Line& entries : run.lines) {
      Line& line = lines.emplace_back();
      for (const std::string& key : keys_) line.push_back(swept_text(swept_value(run.run, key)));
      line.push_back(entries[0]);
      if (chosen_) line.push_back(entries[1]);
      for (std::size_t c = 0; c < columns(squares_).size(); ++c) {
        if (columns(squares_)[c].in_list) line.push_back(entries[c + 2]);
      }
    }
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
  for (const auto& [optimizer, made] : updates_)
    text += fmt::format(
        "{}: {} of {} updates made one by one; the others are certified to a relative error of {:.2g}\n",
        optimizer,
        made.least == made.most ? fmt::format("{}", made.most)
                                : fmt::format("{} to {}", made.least, made.most),
        steps_.back(), made.error);
  const auto engine = [](const auto& one) { return fmt::format("{} ({})", one.first, joined(one.second)); };
  text += fmt::format("engine: {}\n", joined(mapped(engines_, engine)));
  if (squares_)
    return text +
           "head: the most frequent classes; tail: the rarest; coefficient: of the answer in W's guess\n";
  text += "head: the most frequent classes; tail: the rarest; losses in nats\n";
  const bool every_step = steps_.back() - steps_.front() + 1 == static_cast<std::int64_t>(steps_.size());
  return text + fmt::format("steps to {0}: the first {1}with every error below {0}\n", learned_error,
                            every_step ? "step " : "recorded step ");
}

}  // namespace rarefact
