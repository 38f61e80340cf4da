#include "results/joined_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "core/text.hpp"
#include "rarefact/error.hpp"
#include "results/result_fields.hpp"

namespace rarefact {

namespace {

using Json = nlohmann::json;

std::string line_of(const PointKind& kind) {
  Json line = {{"steps", kind.steps}, {"table", kind.table}, {"variables", Json::array()}};
  for (const Variable& variable : kind.variables) {
    Json& entry = line["variables"].emplace_back();
    for (const auto& [name, member] : variable_texts) entry[name] = variable.*member;
    entry["along"] = dimension_of(variable.along);
  }
  return line.dump();
}

PointKind kind_in(const std::string& text) {
  const Json line = Json::parse(text);
  PointKind kind{line.at("steps"), {}, line.at("table")};
  for (const Json& json : line.at("variables")) {
    Variable& variable = kind.variables.emplace_back();
    for (const auto& [name, member] : variable_texts) json.at(name).get_to(variable.*member);
    for (const Along along : {Along::class_groups, Along::answer_groups})
      if (json.at("along") == dimension_of(along)) variable.along = along;
  }
  return kind;
}

void add_unless_there(const std::string& text, std::vector<std::string>& texts) {
  if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
}

/// Moves the rows of a series from the steps of its run to those of the result.
std::vector<double> spread(const std::vector<double>& series, const std::vector<std::size_t>& place,
                           std::size_t records) {
  const std::size_t row = series.size() / place.size();
  std::vector<double> spread(records * row, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t record = 0; record < place.size(); ++record) {
    const auto from = series.begin() + static_cast<std::ptrdiff_t>(record * row);
    std::copy(from, from + static_cast<std::ptrdiff_t>(row),
              spread.begin() + static_cast<std::ptrdiff_t>(place[record] * row));
  }
  return spread;
}

/// The rows of a series at these steps, a subset of `all`.
std::vector<double> rows_of(const std::vector<double>& series, const std::vector<std::int64_t>& all,
                            const std::vector<std::int64_t>& steps) {
  const std::size_t width = series.size() / all.size();
  std::vector<double> rows;
  rows.reserve(width * steps.size());
  for (const std::int64_t step : steps) {
    const auto found = std::ranges::lower_bound(all, step);
    const auto row = series.begin() + (found - all.begin()) * static_cast<std::ptrdiff_t>(width);
    rows.insert(rows.end(), row, row + static_cast<std::ptrdiff_t>(width));
  }
  return rows;
}

Result point_of(const Result& joined, Run run, const PointKind& kind) {
  Result point;
  point.steps = kind.steps;
  point.optimizers = joined.optimizers;
  point.variables = kind.variables;
  if (!kind.table) {
    run.class_place.clear();
    run.class_label.clear();
  }
  for (Trajectory& trajectory : run.trajectories) {
    auto all = std::exchange(trajectory.series, {});
    for (const Variable& variable : point.variables) {
      if (const auto series = all.find(variable.name); series != all.end())
        trajectory.series[variable.name] = rows_of(series->second, joined.steps, point.steps);
    }
  }
  point.runs.push_back(std::move(run));
  return point;
}

}  // namespace

std::size_t MergedSchema::add(const Result& point) {
  PointKind kind{point.steps, point.variables, shape_of(point).table};
  // Most points are like the previous one.
  for (std::size_t i = kinds_.size(); i-- > 0;)
    if (kinds_[i] == kind) return i;
  if (kinds_.empty()) {
    first_.title = point.title;
    first_.optimizers = point.optimizers;
  }
  kinds_.push_back(std::move(kind));
  return kinds_.size() - 1;
}

Result MergedSchema::head() const {
  Result head = first_;
  std::vector<std::vector<std::string>> sources, validities;  // of the points to which something applies
  for (const PointKind& kind : kinds_) {
    std::vector<std::int64_t> both;
    std::ranges::set_union(head.steps, kind.steps, std::back_inserter(both));
    head.steps = std::move(both);
    for (const Variable& variable : kind.variables) {
      const auto found = std::ranges::find(head.variables, variable.name, &Variable::name);
      const auto place = static_cast<std::size_t>(found - head.variables.begin());
      if (found == head.variables.end()) head.variables.push_back(variable);
      sources.resize(head.variables.size());
      validities.resize(head.variables.size());
      // The source "none" means that nothing applies.
      if (variable.source == "none") continue;
      add_unless_there(variable.source, sources[place]);
      add_unless_there(variable.validity, validities[place]);
    }
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].empty()) continue;
    head.variables[i].source = joined(sources[i], " or ");
    head.variables[i].validity = joined(validities[i], " or ");
  }
  return head;
}

std::vector<Run> spread_runs(Result part, const std::vector<std::int64_t>& steps) {
  if (part.steps == steps) return std::move(part.runs);
  std::vector<std::size_t> place;
  for (const std::int64_t step : part.steps) {
    place.push_back(
        static_cast<std::size_t>(std::lower_bound(steps.begin(), steps.end(), step) - steps.begin()));
  }
  for (Run& run : part.runs) {
    for (Trajectory& trajectory : run.trajectories) {
      for (auto& [name, series] : trajectory.series) {
        if (!series.empty()) series = spread(series, place, steps.size());
      }
    }
  }
  return std::move(part.runs);
}

std::string MergedSchema::points(const std::vector<PointId>& ids,
                                 const std::vector<std::optional<std::size_t>>& kinds) const {
  std::string text;
  for (const PointKind& kind : kinds_) text += line_of(kind) + "\n";
  for (std::size_t i = 0; i < ids.size(); ++i)
    text += kinds[i] ? fmt::format("\n{} {}", ids[i].hex(), *kinds[i]) : "\n- 0";
  return text;
}

void take_apart(Result joined, const std::string& path, const std::function<bool(const PointId&)>& wanted,
                const std::function<void(const PointId&, Result)>& use) {
  if (joined.points.empty()) throw InputError(path + ": is no result of a sweep that could be taken apart");
  const auto damaged = [&](const std::string& why) {
    return DamagedResult(fmt::format("{}: its attribute 'points': {}", path, why));
  };
  std::istringstream text(joined.points);
  std::vector<PointKind> kinds;
  try {
    for (std::string line; std::getline(text, line) && !line.empty();) kinds.push_back(kind_in(line));
  } catch (const Json::exception& error) {
    throw damaged(error.what());
  }
  std::string digits;
  std::size_t number = 0;
  for (Run& run : joined.runs) {
    if (!(text >> digits >> number) || number >= kinds.size() ||
        !std::ranges::includes(joined.steps, kinds[number].steps))
      throw damaged("it is not that of these runs");
    const auto id = point_named(digits);
    if (id && wanted(*id)) use(*id, point_of(joined, std::move(run), kinds[number]));
  }
}

}  // namespace rarefact
