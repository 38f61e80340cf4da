#include "tables/table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "core/end_rows.hpp"
#include "core/first_index.hpp"
#include "core/status.hpp"
#include "core/student_t.hpp"
#include "core/text.hpp"
#include "core/transform.hpp"

namespace rarefact {

namespace {

using CellKind = TableCell::Kind;

/// The value of the chosen class row, NaN where there is none.
double chosen_value(const Numbers& numbers, std::size_t record, std::size_t rows, const ClassChoice& chosen) {
  using Kind = ClassChoice::Kind;
  if (rows == 0) return std::nan("");  // of answers in a run that has none
  if (chosen.kind == Kind::row) return numbers(record, chosen.row);
  double extreme = numbers(record, 0);
  for (std::size_t row = 1; row < rows && !std::isnan(extreme); ++row) {
    const double x = numbers(record, row);
    if (std::isnan(x) || (chosen.kind == Kind::max ? x > extreme : x < extreme)) extreme = x;
  }
  return extreme;
}

/// Head and tail as rows of a run.
ClassChoice in_run(ClassChoice chosen, const Run& run, Along along) {
  using Kind = ClassChoice::Kind;
  if ((chosen.kind != Kind::head && chosen.kind != Kind::tail) || along == Along::nothing ||
      width_of(run, along) == 0)
    return chosen;
  const EndRows ends =
      end_rows(along == Along::class_groups ? run.class_probability : run.answers->probability);
  chosen.row = chosen.kind == Kind::head ? ends.head : ends.tail;
  chosen.kind = Kind::row;
  return chosen;
}

/// What one run contributes to a cell.
TableCell sample_of(const TablePlan& plan, const std::vector<std::int64_t>& steps, const Run& run,
                    const Trajectory& trajectory, std::optional<std::size_t> record,
                    const ClassChoice& chosen) {
  if (plan.value.text) return {.kind = CellKind::words, .words = plan.value.text(trajectory)};
  const Numbers numbers = plan.value.numbers(run, trajectory);
  const ClassChoice choice = in_run(chosen, run, plan.value.along);
  const auto at = [&](std::size_t r) {
    return chosen_value(numbers, r, width_of(run, plan.value.along), choice);
  };
  const auto number = [&](double x) -> TableCell {
    return {.kind = CellKind::number, .mean = x, .approximate = trajectory.status == Status::uncertified};
  };
  const Numbers left = plan.value.digits ? plan.value.digits(run, trajectory) : Numbers();
  const auto at_or = [&](std::size_t r, const TableCell& other) -> TableCell {
    if (!std::isfinite(at(r))) return other;
    TableCell cell = number(at(r));
    const double digits = left ? left(r, 0) : std::nan("");
    if (digits < 1) return {.kind = CellKind::words, .words = "no digits"};
    if (!std::isnan(digits)) cell.digits = static_cast<int>(digits);
    return cell;
  };
  const bool finished = is_finished(trajectory);
  const TableCell missing, ended = {.kind = CellKind::words, .words = trajectory.status};
  if (record) {
    // A run that diverged later has no value here for another reason: no prediction applies.
    const bool before = trajectory.status == Status::diverged && steps[*record] <= trajectory.status_step;
    return at_or(*record, finished || before ? missing : ended);
  }
  const std::size_t end = plan.value.per_step ? end_of(trajectory, steps) : 0;
  if (!plan.threshold) {
    std::size_t shown = end;
    for (std::size_t r = 0; plan.extreme && r < end && !std::isnan(at(shown)); ++r) {
      const double x = at(r), best = at(shown);
      if (std::isnan(x) || (plan.extreme == Best::largest ? x > best : x < best)) shown = r;
    }
    // What a run that diverged held last is not its result.
    return finished || !plan.value.per_step ? at_or(shown, missing) : ended;
  }
  const auto passed = [&](std::size_t r) {
    const double x = at(r);
    return std::isfinite(x) && (plan.below ? x < *plan.threshold : x > *plan.threshold);
  };
  std::size_t first = first_index(end + 1, passed);
  if (plan.sustained) {
    for (first = end + 1; first > 0 && passed(first - 1);) --first;
  }
  if (first <= end && (finished || !plan.sustained)) return number(static_cast<double>(steps[first]));
  if (!finished) return ended;
  // A value that is gone before the end might have reached the threshold after.
  if (!std::isfinite(at(end))) return missing;
  return {.kind = CellKind::beyond, .beyond = steps[end]};
}

TableCell cell_of(const std::vector<TableCell>& samples, bool crossing) {
  TableCell cell = samples.front();
  cell.runs = static_cast<int>(samples.size());
  if (samples.size() == 1) return cell;
  std::map<CellKind, int> of_kind;
  std::map<std::string, int> of_words;
  for (const TableCell& sample : samples) {
    ++of_kind[sample.kind];
    if (sample.kind == CellKind::words) ++of_words[sample.words];
    cell.beyond = std::min(cell.beyond, sample.beyond);
    cell.approximate = cell.approximate || sample.approximate;
    cell.digits = std::min(cell.digits, sample.digits);
  }
  if (of_kind.size() > 1) cell.kind = CellKind::words;
  if (cell.kind == CellKind::number) {
    const MeanInterval found = mean_interval(mapped(samples, [](const TableCell& one) { return one.mean; }));
    cell.mean = found.mean;
    cell.half_width = found.half_width;
  }
  std::vector<std::string> parts;
  if (of_kind[CellKind::beyond] > 0 || (crossing && of_kind[CellKind::number] > 0))
    parts.push_back(fmt::format("{}/{} reached", of_kind[CellKind::number], cell.runs));
  for (const auto& [text, count] : of_words)
    parts.push_back(count == cell.runs ? text : fmt::format("{}/{} {}", count, cell.runs, text));
  if (const int missing = of_kind[CellKind::missing]; missing > 0)
    parts.push_back(fmt::format("{}/{} missing", missing, cell.runs));
  cell.words = joined(parts);
  return cell;
}

/// What a class row is called: "0: rank 1", "0: rank 1, the" of a class with a name, or "0: rank 500, 1000 classes", the
/// middle one's, where every run has the same classes; else its index.
AxisValue class_label(const Run& run, std::size_t row, bool same_classes) {
  if (!same_classes) return static_cast<double>(row);
  const double count = run.class_count[row];
  return fmt::format("{}: rank {:.4g}{}", row, std::exp(run.class_log_rank[row]),
                     count != 1 ? fmt::format(", {} classes", axis_text(count))
                     : run.class_label.empty() || run.class_label[row].empty() ? ""
                                                                               : ", " + run.class_label[row]);
}

/// What an answer row is called: "0: fan-in 8" or "0: fan-in 8, 20 answers"; else its index, as class_label.
AxisValue answer_label(const Run& run, std::size_t row, bool same_answers) {
  if (!same_answers) return static_cast<double>(row);
  const double count = run.answers->count[row];
  return fmt::format("{}: fan-in {:.4g}{}", row, run.answers->fan_in[row],
                     count == 1 ? "" : fmt::format(", {} answers", axis_text(count)));
}

std::string description(const TablePlan& plan, int most_runs, bool approximate) {
  std::string text = plan.value.name + plan.class_row.description;
  if (plan.threshold) {
    text = fmt::format("first recorded step {} {} {}{}; {}", plan.sustained ? "from which on" : "with", text,
                       plan.sustained ? "stays " : "", plan.moment, plan.value.name);
  } else if (plan.value.per_step && !plan.moment.empty()) {
    text += " " + plan.moment;
  }
  text += ": " + plan.value.meaning;
  if (most_runs > 1 && plan.value.numbers) {
    text += fmt::format(
        "; mean and 95 % confidence interval (Student t) over up to {} runs that differ in the seed",
        most_runs);
  }
  if (approximate)
    text += "; ≈: the error of the quadrature is above its tolerance, see the variable quadrature_error";
  return text;
}

}  // namespace

Table pivot_table(const Result& result, const TableRequest& request) {
  const TablePlan plan = plan_table(result, request);
  const std::vector<std::string>& axes = plan.axes;
  const Run& first = result.runs[plan.runs.front()];
  const bool same_classes = std::all_of(plan.runs.begin(), plan.runs.end(), [&](std::size_t i) {
    return result.runs[i].class_count == first.class_count &&
           result.runs[i].class_log_rank == first.class_log_rank &&
           result.runs[i].class_label == first.class_label;
  });

  const bool same_answers = std::all_of(plan.runs.begin(), plan.runs.end(), [&](std::size_t i) {
    const auto& answers = result.runs[i].answers;
    return answers && first.answers && answers->count == first.answers->count &&
           answers->fan_in == first.answers->fan_in;
  });

  // A place is the number of each coordinate among those of its axis, in the order in which they are first met.
  using Place = std::vector<std::size_t>;
  std::vector<std::map<AxisValue, std::size_t>> met(axes.size());
  std::map<Place, std::vector<AxisValue>> heads[2];  // of rows and columns
  std::map<std::pair<Place, Place>, std::vector<TableCell>> samples;
  const auto add = [&](const Run& run, std::size_t optimizer, std::size_t row,
                       std::optional<std::size_t> record) {
    Place place[2];
    std::vector<AxisValue> head[2];
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const AxisValue value = axes[a] == "optimizer" ? result.optimizers[optimizer]
                              : axes[a] == "class"   ? class_label(run, row, same_classes)
                              : axes[a] == "answer"  ? answer_label(run, row, same_answers)
                              : axes[a] == "step"    ? static_cast<double>(result.steps[*record])
                                                     : swept_value(run, axes[a]);
      const bool column = a >= plan.rows.size();
      head[column].push_back(value);
      place[column].push_back(met[a].emplace(value, met[a].size()).first->second);
    }
    for (const bool column : {false, true}) heads[column].emplace(place[column], head[column]);
    const ClassChoice chosen = plan.along_axis() != Along::nothing
                                   ? ClassChoice{.kind = ClassChoice::Kind::row, .row = row}
                                   : plan.class_row;
    samples[{place[0], place[1]}].push_back(
        sample_of(plan, result.steps, run, run.trajectories[optimizer], record, chosen));
  };
  for (const std::size_t i : plan.runs) {
    const std::size_t rows = width_of(result.runs[i], plan.along_axis());
    for (const std::size_t optimizer : plan.optimizers) {
      for (std::size_t row = 0; row < rows; ++row) {
        for (const auto record : plan.records) add(result.runs[i], optimizer, row, record);
      }
    }
  }

  Table table{.value = plan.value.name, .row_keys = plan.rows, .column_keys = plan.columns};
  if (plan.threshold) {
    table.value =
        fmt::format("steps to {} {}{}", plan.value.name, plan.moment, plan.sustained ? " for good" : "");
  }
  for (const auto& column : heads[1]) table.column_heads.push_back(column.second);
  int most_runs = 0;
  bool approximate = false;
  for (const auto& [row, head] : heads[0]) {
    table.row_heads.push_back(head);
    auto& line = table.cells.emplace_back();
    for (const auto& [column, unused] : heads[1]) {
      const auto found = samples.find({row, column});
      line.push_back(found == samples.end() ? TableCell{}
                                            : cell_of(found->second, plan.threshold.has_value()));
      line.back().counts = plan.threshold || plan.value.counts;
      most_runs = std::max(most_runs, line.back().runs);
      approximate = approximate || line.back().approximate;
    }
  }
  table.description = description(plan, most_runs, approximate);
  return table;
}

}  // namespace rarefact
