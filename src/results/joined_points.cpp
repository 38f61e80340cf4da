#include "results/joined_points.hpp"

#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "core/text.hpp"
#include "results/result_fields.hpp"

namespace rarefact {

// The text of a kind in the attribute: found by the library, so not in the unnamed namespace.
NLOHMANN_JSON_SERIALIZE_ENUM(Along, {{Along::nothing, ""},
                                     {Along::class_groups, "class_group"},
                                     {Along::answer_groups, "answer_group"},
                                     {Along::bands, "band"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Variable, name, long_name, units, along, source, validity)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PointKind, steps, variables, table)

namespace {

using Json = nlohmann::json;

void add_unless_there(const std::string& text, std::vector<std::string>& texts) {
  if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
}

/// The rows of a series, recorded at the steps `from`, at the steps `to`: NaN where it has none.
std::vector<double> rows_at(const std::vector<std::int64_t>& to, const std::vector<double>& series,
                            const std::vector<std::int64_t>& from) {
  const auto width = static_cast<std::ptrdiff_t>(series.size() / from.size());
  std::vector<double> rows(series.size() / from.size() * to.size(), std::numeric_limits<double>::quiet_NaN());
  auto row = rows.begin();
  for (const std::int64_t step : to) {
    const auto found = std::ranges::lower_bound(from, step);
    if (found != from.end() && *found == step)
      std::copy_n(series.begin() + (found - from.begin()) * width, width, row);
    row += width;
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
        trajectory.series[variable.name] = rows_at(point.steps, series->second, joined.steps);
    }
  }
  point.runs.push_back(std::move(run));
  return point;
}

/// Throws std::runtime_error unless points of this kind can be parts of the result.
void require_part(const PointKind& kind, const Result& joined) {
  if (kind.steps.empty() || !std::ranges::includes(joined.steps, kind.steps))
    throw std::runtime_error("its steps are not those of the result");
  std::set<std::string> names;
  for (const Variable& variable : kind.variables) {
    const Variable* const whole = find_row(joined.variables, variable.name);
    if (whole == nullptr || whole->along != variable.along || !names.insert(variable.name).second)
      throw std::runtime_error(fmt::format("its '{}' is not that of the result", variable.name));
  }
  for (const std::string& name : required_series(kind.variables))
    if (!names.contains(name)) throw std::runtime_error(fmt::format("it lacks the variable '{}'", name));
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
  for (Run& run : part.runs) {
    for (Trajectory& trajectory : run.trajectories) {
      for (auto& [name, series] : trajectory.series)
        if (!series.empty()) series = rows_at(steps, series, part.steps);
    }
  }
  return std::move(part.runs);
}

std::string MergedSchema::points(const std::vector<PointId>& ids,
                                 const std::vector<std::optional<std::size_t>>& kinds) const {
  std::string text;
  for (const PointKind& kind : kinds_) text += Json(kind).dump() + "\n";
  for (std::size_t i = 0; i < ids.size(); ++i)
    text += kinds[i] ? fmt::format("\n{} {}", ids[i].hex(), *kinds[i]) : "\n- 0";
  return text;
}

JoinedPoints joined_points(const Result& joined) {
  std::istringstream text(joined.points);
  JoinedPoints points;
  try {
    for (std::string line; std::getline(text, line) && !line.empty();)
      points.kinds.push_back(Json::parse(line).get<PointKind>());
  } catch (const Json::exception& error) {
    throw std::runtime_error(error.what());
  }
  for (const PointKind& kind : points.kinds) require_part(kind, joined);
  std::string digits;
  std::size_t number = 0;
  for (std::size_t run = 0; run < joined.runs.size(); ++run) {
    if (!(text >> digits >> number)) throw std::runtime_error("it is not that of these runs");
    const auto& [id, kind] = points.of_runs.emplace_back(point_named(digits), number);
    if (id ? kind >= points.kinds.size() : digits != "-")
      throw std::runtime_error("a line is not that of a point");
  }
  return points;
}

void take_apart(Result joined, const std::function<bool(const PointId&)>& wanted,
                const std::function<void(const PointId&, Result)>& use) {
  const JoinedPoints points = joined_points(joined);
  for (std::size_t i = 0; i < joined.runs.size(); ++i) {
    const auto& [id, kind] = points.of_runs[i];
    if (id && wanted(*id)) use(*id, point_of(joined, std::move(joined.runs[i]), points.kinds[kind]));
  }
}

}  // namespace rarefact
