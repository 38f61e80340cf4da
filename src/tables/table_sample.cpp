#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/catalogue.hpp"
#include "tables/table_parts.hpp"

namespace rarefact {

namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts = {""};
  for (const char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// The record of a step as typed; nothing, and a problem, if it was not recorded.
std::optional<std::size_t> record_of(const std::string& typed, const std::vector<std::int64_t>& steps,
                                     TableProblems& problems) {
  if (typed == "last") return steps.size() - 1;
  const auto number = number_from(typed);
  if (!number || *number < 0 || *number != std::floor(*number)) {
    problems.add(fmt::format("--at: got \"{}\"; expected last or a recorded step", typed));
    return {};
  }
  const auto next = std::lower_bound(steps.begin(), steps.end(), *number,
                                     [](std::int64_t a, double b) { return static_cast<double>(a) < b; });
  if (next != steps.end() && static_cast<double>(*next) == *number)
    return static_cast<std::size_t>(next - steps.begin());
  std::vector<std::string> near;
  if (next != steps.begin()) near.push_back(fmt::format("{}", *(next - 1)));
  if (next != steps.end()) near.push_back(fmt::format("{}", *next));
  problems.add(fmt::format("--at: step {} was not recorded; the nearest is {} ({} steps from {} to {} are)",
                           typed, joined(near, " or "), steps.size(), steps.front(), steps.back()));
  return {};
}

void read_threshold(const TableRequest& request, bool step_axis, TableMoment& moment,
                    TableProblems& problems) {
  const bool below = !request.below.empty();
  if (below && !request.above.empty()) problems.add("--below and --above: give one of them");
  if (!request.at.empty()) {
    problems.add(fmt::format("--at and --{}: give one of them", below ? "below" : "above"));
  }
  if (step_axis) {
    problems.add(fmt::format("--{} gives steps, so step cannot be an axis", below ? "below" : "above"));
  }
  moment.kind = below ? TableMoment::Kind::below : TableMoment::Kind::above;
  const std::string& typed = below ? request.below : request.above;
  if (const auto number = number_from(typed)) {
    moment.threshold = *number;
  } else {
    problems.add(fmt::format("--{}: got \"{}\"; expected a number", below ? "below" : "above", typed));
  }
  moment.description = fmt::format("{} {}", below ? "<" : ">", typed);
}

/// The last record of a run: runs of a sweep may be of different lengths.
std::size_t last_record(const Trajectory& trajectory, const std::vector<std::int64_t>& steps) {
  for (std::size_t record = steps.size() - 1; record > 0; --record) {
    for (const auto& [name, values] : trajectory.series) {
      const std::size_t width = values.size() / steps.size();
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(record * width);
      const auto end = begin + static_cast<std::ptrdiff_t>(width);
      if (std::any_of(begin, end, [](double x) { return !std::isnan(x); })) return record;
    }
  }
  return 0;
}

bool is_finished(const Trajectory& trajectory) {
  return trajectory.status == "complete" || trajectory.status == "uncertified";
}

/// "at the last step (3000)", if all runs that came to their end ended there.
std::string last_step_text(const Result& result, const std::vector<std::size_t>& runs) {
  std::set<std::size_t> records;
  for (const std::size_t run : runs) {
    for (const Trajectory& trajectory : result.runs[run].trajectories) {
      if (is_finished(trajectory)) records.insert(last_record(trajectory, result.steps));
    }
  }
  if (records.size() > 1) return "at the last step of each run";
  return fmt::format("at the last step ({})",
                     result.steps[records.empty() ? result.steps.size() - 1 : *records.begin()]);
}

/// The value of the chosen class row, NaN where there is none.
double chosen_value(const TableValue::Reader& read, std::size_t record, std::size_t rows,
                    const TableClass& chosen) {
  if (chosen.kind == TableClass::Kind::row) return read(record, chosen.row);
  if (chosen.kind == TableClass::Kind::tail) return read(record, rows - 1);
  double extreme = read(record, 0);
  for (std::size_t row = 1; row < rows && !std::isnan(extreme); ++row) {
    const double x = read(record, row);
    const bool further = chosen.kind == TableClass::Kind::max ? x > extreme : x < extreme;
    if (further || std::isnan(x)) extreme = x;
  }
  return extreme;
}

}  // namespace

TableMoment table_moment(const Result& result, const std::vector<std::size_t>& runs,
                         const TableRequest& request, bool step_axis, const std::optional<TableValue>& value,
                         TableProblems& problems) {
  TableMoment moment;
  const bool threshold = !request.below.empty() || !request.above.empty();
  if (value && !value->per_step && (threshold || step_axis || !request.at.empty())) {
    problems.add(fmt::format("--value: {} has no steps; leave --at, --below, --above and the axis step away",
                             value->name));
    return moment;
  }
  if (threshold) {
    read_threshold(request, step_axis, moment, problems);
    return moment;
  }
  if (step_axis) {
    moment.kind = TableMoment::Kind::records;
    for (std::size_t s = 0; s < result.steps.size(); ++s) moment.records.push_back(s);
  }
  if (request.at.empty() || (request.at == "last" && !step_axis)) {
    if (!step_axis) moment.description = last_step_text(result, runs);
    return moment;
  }
  moment.kind = TableMoment::Kind::records;
  moment.records.clear();
  for (const std::string& typed : split(request.at)) {
    if (const auto record = record_of(typed, result.steps, problems)) moment.records.push_back(*record);
  }
  if (moment.records.size() > 1 && !step_axis) {
    problems.add("--at: several steps need the axis step in --rows or --columns");
  }
  std::sort(moment.records.begin(), moment.records.end());
  moment.records.erase(std::unique(moment.records.begin(), moment.records.end()), moment.records.end());
  if (!step_axis) moment.description = fmt::format("at step {}", request.at);
  return moment;
}

TableClass table_class(const Result& result, const TableRequest& request, bool class_axis,
                       const std::optional<TableValue>& value, TableProblems& problems) {
  TableClass chosen;
  const std::string& typed = request.class_row;
  if (value && !value->per_class && (class_axis || !typed.empty())) {
    problems.add(fmt::format("--value: {} has no classes; leave {} away", value->name,
                             class_axis ? "the axis class" : "--class"));
  }
  if (class_axis && !typed.empty()) problems.add("--class and the axis class: give one of them");
  if (value && value->per_class && !class_axis) chosen.description = " of the tail (the rarest class row)";
  if (typed.empty() || typed == "tail") return chosen;
  if (typed == "max" || typed == "min") {
    chosen.kind = typed == "max" ? TableClass::Kind::max : TableClass::Kind::min;
    chosen.description = fmt::format(" ({} over the class rows)", typed);
    return chosen;
  }
  chosen.kind = TableClass::Kind::row;
  chosen.description = " of the head (the most frequent class row)";
  if (typed == "head") return chosen;
  std::size_t rows = 0;
  for (const Run& run : result.runs) rows = std::max(rows, run.class_count.size());
  const auto number = number_from(typed);
  if (!number || *number < 0 || *number != std::floor(*number) || *number >= static_cast<double>(rows)) {
    problems.add(
        fmt::format("--class: got \"{}\"; expected head, tail, min, max or a row of class_group, 0 to {}",
                    typed, rows - 1));
    return chosen;
  }
  chosen.row = static_cast<std::size_t>(*number);
  chosen.description = fmt::format(" of class row {}", chosen.row);
  return chosen;
}

TableSample table_sample(const TableValue& value, const Run& run, const Trajectory& trajectory,
                         const std::vector<std::int64_t>& steps, const TableMoment& moment,
                         const TableClass& chosen) {
  using SampleKind = TableSample::Kind;
  if (value.text) return {.kind = SampleKind::text, .text = value.text(run, trajectory)};
  const TableValue::Reader read = value.number(run, trajectory);
  const auto at = [&](std::size_t record) {
    return chosen_value(read, record, run.class_count.size(), chosen);
  };
  const auto number = [&](double x) {
    return TableSample{
        .kind = SampleKind::number, .number = x, .approximate = trajectory.status == "uncertified"};
  };
  const TableSample ended = {.kind = SampleKind::ended, .text = trajectory.status};
  const bool finished = is_finished(trajectory);
  if (moment.kind == TableMoment::Kind::records) {
    const std::size_t record = moment.records.front();
    if (const double x = at(record); std::isfinite(x)) return number(x);
    // A run that diverged later has no value here for another reason: no prediction applies.
    const bool before = trajectory.status == "diverged" && steps[record] <= trajectory.status_step;
    return finished || before ? TableSample{} : ended;
  }
  const std::size_t end = value.per_step ? last_record(trajectory, steps) : 0;
  if (moment.kind == TableMoment::Kind::last) {
    // What a run that diverged held last is not its result.
    if (!finished && value.per_step) return ended;
    const double x = at(end);
    return std::isfinite(x) ? number(x) : TableSample{};
  }
  for (std::size_t record = 0; record <= end; ++record) {
    const double x = at(record);
    if (!std::isfinite(x)) continue;
    if (moment.kind == TableMoment::Kind::below ? x < moment.threshold : x > moment.threshold)
      return number(static_cast<double>(steps[record]));
  }
  if (!finished) return ended;
  // A value that is gone before the end might have reached the threshold after.
  if (!std::isfinite(at(end))) return {};
  return {.kind = SampleKind::not_reached, .last_step = steps[end]};
}

}  // namespace rarefact
