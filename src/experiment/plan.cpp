#include "experiment/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "core/text.hpp"
#include "experiment/axes.hpp"
#include "experiment/keys.hpp"
#include "experiment/overrides.hpp"
#include "experiment/read.hpp"
#include "experiment/values.hpp"
#include "experiment/write.hpp"

namespace rarefact {

namespace {

/// Beyond this many problems more of them help nobody.
constexpr std::size_t enough_problems = 100;

/// An index into each axis.
using PointChoice = std::vector<std::size_t>;

/// Puts the chosen values into the tables of a file.
void place_point(Setting& root, const std::vector<Axis>& axes, const PointChoice& choice) {
  for (std::size_t a = 0; a < axes.size(); ++a) {
    for (const AxisKey& key : axes[a].keys) {
      Setting* table = table_of_key(root, key.name);
      if (table == nullptr) continue;  // the reader says what is in the way
      Setting value = key.values[choice[a]];
      value.name = last_part(key.name);
      value.key = axes[a].where;
      table->put(std::move(value));
    }
  }
}

/// The next choice of the axes in `varied`, last one fastest; false after the last.
bool advance(PointChoice& choice, const std::vector<std::size_t>& varied, const std::vector<Axis>& axes) {
  for (std::size_t i = varied.size(); i-- > 0;) {
    if (++choice[varied[i]] < axes[varied[i]].size()) return true;
    choice[varied[i]] = 0;
  }
  return false;
}

/// Calls `visit` for points that show all that can be wrong with any: keys of different tables ([classes],
/// [run], one optimizer ...) know nothing of each other, so it is the product of the axes with a key of each
/// table, the others at their first value. `visit` returns false to stop.
void for_telling_points(const std::vector<Axis>& axes, const std::function<bool(const PointChoice&)>& visit) {
  std::map<std::string, std::vector<std::size_t>> tables;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    for (const AxisKey& key : axes[a].keys) {
      auto& varied = tables[key.name.starts_with("embedding.") ? "embedding" : path_part(key.name)];
      if (varied.empty() || varied.back() != a) varied.push_back(a);
    }
  }
  PointChoice choice(axes.size(), 0);
  if (!visit(choice)) return;
  for (const auto& [table, varied] : tables) {
    while (advance(choice, varied, axes)) {
      if (!visit(choice)) return;
    }
  }
}

/// Whether a value of a swept key chooses a row that has the parameter.
bool chooses_owner(const AxisKey& swept, const ExperimentKey& key) {
  return std::any_of(swept.values.begin(), swept.values.end(), [&](const Setting& value) {
    const auto* row = value.as<std::string>();
    return row != nullptr && key.parameter_of(*row) != nullptr;
  });
}

/// The parameters that may stand in a table without belonging to the row of every point.
PointReading reading_of(const Axes& axes) {
  PointReading reading;
  std::set<std::string> swept;
  std::vector<AxisKey> choosing = axes.replaced;
  for (const Axis& axis : axes.list) {
    for (const AxisKey& key : axis.keys) swept.insert(key.name);
    choosing.insert(choosing.end(), axis.keys.begin(), axis.keys.end());
  }
  for (const AxisKey& chooser : choosing) {
    const ExperimentKey& selector = *find_key(chooser.name);
    if (!selector.selects) continue;
    const std::string table = path_part(chooser.name);
    for (const ExperimentKey* key : keys_of_table(selector.table)) {
      if (key->owned() && !swept.contains(dotted(table, key->last_name())) && chooses_owner(chooser, *key))
        reading.tolerated[table].push_back(key->last_name());
    }
  }
  return reading;
}

/// An axis on the rule of an optimizer must not change its label.
void fix_labels(Setting& root, const std::vector<Axis>& axes) {
  for (const Axis& axis : axes) {
    for (const AxisKey& key : axis.keys) {
      if (!key.name.starts_with("optimizer.")) continue;
      Setting* table = table_of_key(root, key.name);
      if (table != nullptr && table->get("name") == nullptr)
        table->put({.value = label_of(*table), .name = "name"});
    }
  }
}

/// Whether a problem is only that a key is missing whose axis was refused.
bool lacks(const Problem& problem, const std::vector<std::string>& refused) {
  return std::any_of(refused.begin(), refused.end(), [&](const std::string& key) {
    return problem.message.starts_with(find_key(key)->name() + " is missing") ||
           problem.message.starts_with(key + " is missing");
  });
}

/// Reads the telling points and says each problem of a key at a place once.
void check_points(Setting base, const std::string& file, const Axes& axes, const PointReading& reading,
                  ProblemList& problems) {
  using Said = std::tuple<std::string, int, int, std::string>;
  std::set<Said> said;
  for_telling_points(axes.list, [&](const PointChoice& choice) {
    place_point(base, axes.list, choice);
    ProblemList found(file);
    experiment_from(base, file, reading, found);
    std::set<Said> now;
    for (const Problem& problem : found.all()) {
      if (lacks(problem, axes.refused)) continue;
      const std::string about = problem.message.substr(0, problem.message.find(' '));
      const Said what(problem.file, problem.line, problem.column, about);
      if (!said.contains(what)) problems.add(problem);
      now.insert(what);
    }
    said.merge(now);
    return problems.all().size() < enough_problems;
  });
}

/// "{range = [a, b, step]}" where the values are four or more whole numbers in equal steps; else empty.
std::string range_text(const std::vector<Setting>& settings) {
  constexpr std::int64_t largest = std::int64_t{1} << 52;
  std::vector<std::int64_t> values;
  for (const Setting& setting : settings) {
    const auto* value = setting.as<std::int64_t>();
    if (value == nullptr || *value > largest || *value < -largest) return {};
    values.push_back(*value);
  }
  if (values.size() < 4) return {};
  const std::int64_t step = values[1] - values[0];
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (step < 1 || values[i] - values[i - 1] != step) return {};
  }
  const std::string steps = step == 1 ? "" : fmt::format(", {}", step);
  return fmt::format("{{range = [{}, {}{}]}}", values.front(), values.back() + 1, steps);
}

std::string axis_line(const Axis& axis) {
  std::vector<std::string> names, texts;
  for (const AxisKey& key : axis.keys) names.push_back(key.name);
  std::string values = names.size() == 1 ? range_text(axis.keys.front().values) : "";
  if (values.empty()) {
    for (std::size_t i = 0; i < axis.size(); ++i) texts.push_back(place_text(axis.keys, i));
    values = fmt::format("[{}]", joined(texts));
  }
  return fmt::format("{} = {}\n", to_toml(Value(joined(names))), values);
}

/// What the file gives in a table whose row is swept: parameters that differ from the default of some row
/// that has them. So a default that is written out, or left out, makes the same text.
ParameterValues given_parameters(const Setting& table, const AxisKey& chooser) {
  ParameterValues given;
  for (const ExperimentKey* key : keys_of_table(find_key(chooser.name)->table)) {
    const Setting* setting = key->owned() ? table.get(key->last_name()) : nullptr;
    if (setting == nullptr) continue;
    for (const Setting& row : chooser.values) {
      const Parameter* parameter = key->parameter_of(*row.as<std::string>());
      if (parameter == nullptr) continue;
      const auto value = legal_value(*setting, *parameter);
      const auto& usual = parameter->default_value;
      if (value && !(usual && canonical(*usual, parameter->kind) == *value))
        given.set(key->last_name(), *value);
    }
  }
  return given;
}

}  // namespace

struct ExperimentPlan::Source {
  std::string file;
  Setting base;  ///< the file without [sweep], after the overrides
  std::vector<Axis> axes;
  PointReading reading;

  /// The tables of the file with the values of a point in them.
  Setting placed(std::size_t index) const {
    PointChoice choice(axes.size());
    for (std::size_t a = axes.size(); a-- > 0; index /= axes[a].size()) choice[a] = index % axes[a].size();
    Setting root = base;
    place_point(root, axes, choice);
    return root;
  }
};

std::string SweepAxis::name() const {
  return joined(keys);
}

SweepPoint ExperimentPlan::point(std::size_t index) const {
  SweepPoint point;
  ProblemList problems(source_->file);
  point.experiment = experiment_from(source_->placed(index), source_->file, source_->reading, problems);
  problems.throw_if_any();
  for (std::size_t a = axes_.size(); a-- > 0; index /= axes_[a].size()) {
    for (std::size_t k = 0; k < axes_[a].keys.size(); ++k)
      point.parameters[axes_[a].keys[k]] = axes_[a].values[k][index % axes_[a].size()];
  }
  return point;
}

SweepPlan ExperimentPlan::points() const {
  return {size_, [plan = *this](std::size_t index) { return plan.point(index); }};
}

Problem ExperimentPlan::problem_at(std::size_t index, const std::string& key, std::string message) const {
  Setting root = source_->placed(index);
  const Setting* table = table_of_key(root, key);
  const Setting* setting = table == nullptr ? nullptr : table->get(last_part(key));
  // One side of the embedding may be given for both.
  if (setting == nullptr && key.starts_with("embedding.")) {
    table = table_of_key(root, "embedding.kind");
    setting = table == nullptr ? nullptr : table->get(last_part(key));
  }
  const Place place = setting != nullptr ? setting->place : table != nullptr ? table->place : Place{};
  return ProblemList(source_->file).at(place, std::move(message));
}

Problem ExperimentPlan::placed(std::size_t index, const Problem& problem) const {
  const std::string message =
      problem.file.empty() ? problem.message : fmt::format("{}: {}", problem.file, problem.message);
  Experiment experiment = point(index).experiment;
  for (const Part& part : parts_of(experiment)) {
    for (const ExperimentKey* key : keys_of_table(part.table)) {
      const Parameter* parameter = key->owned() ? key->parameter_of(*part.row) : nullptr;
      if (parameter == nullptr || parameter->kind != Kind::path) continue;
      const std::string& typed = part.parameters->text(key->last_name());
      const std::string file = typed.substr(0, typed.find(":/"));
      const bool about = problem.file.ends_with(file) || problem.message.find(file) != std::string::npos;
      if (!file.empty() && about) return problem_at(index, dotted(part.name, key->last_name()), message);
    }
  }
  return {problem.file.empty() ? source_->file : problem.file, problem.line, problem.column, problem.message};
}

ExperimentPlan parse_plan(std::string_view text, const std::string& file,
                          const std::vector<std::string>& overrides) {
  auto source = std::make_shared<ExperimentPlan::Source>();
  source->file = file;
  source->base = parse_toml(text, file);
  ProblemList problems(file);
  Axes axes = take_axes(source->base, overrides, problems);
  fix_labels(source->base, axes.list);
  source->reading = reading_of(axes);
  ExperimentPlan plan;
  double size = 1;
  for (const Axis& axis : axes.list) {
    SweepAxis& shown = plan.axes_.emplace_back();
    for (const AxisKey& key : axis.keys) {
      shown.keys.push_back(key.name);
      shown.values.push_back(swept_values(key));
    }
    size *= static_cast<double>(axis.size());
  }
  if (size > most_points) {
    problems.add(axes.list.front().where,
                 fmt::format("[sweep] has {:.15g} points; at most {:.15g} are possible", size, most_points));
  } else {
    check_points(source->base, file, axes, source->reading, problems);
  }
  problems.throw_if_any();
  plan.size_ = static_cast<std::size_t>(size);
  source->reading.checked = true;
  source->axes = std::move(axes.list);
  plan.source_ = std::move(source);
  return plan;
}

ExperimentPlan read_plan(const std::filesystem::path& path, const std::vector<std::string>& overrides) {
  return parse_plan(experiment_file_text(path), path.string(), overrides);
}

std::string resolved_text(const ExperimentPlan& plan) {
  const ExperimentPlan::Source& source = *plan.source_;
  const Experiment first = plan.point(0).experiment;
  if (source.axes.empty()) return resolved_text(first);
  SweptKeys swept;
  Setting base = source.base;
  for (const Axis& axis : source.axes) {
    for (const AxisKey& key : axis.keys) {
      swept.keys.insert(key.name);
      const std::string table = path_part(key.name);
      swept.both_sides = swept.both_sides || table == "embedding";
      if (find_key(key.name)->selects)
        swept.given[table] = given_parameters(*table_of_key(base, key.name), key);
    }
  }
  std::string text = to_toml(first, swept) + "\n[sweep]\n";
  for (const Axis& axis : source.axes) text += axis_line(axis);
  std::vector<std::string> files;
  for_telling_points(source.axes, [&](const PointChoice& choice) {
    place_point(base, source.axes, choice);
    ProblemList none;
    for (const std::string& file : named_files(experiment_from(base, source.file, source.reading, none))) {
      if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
    }
    return true;
  });
  return with_digests(text, files, first.base_directory);
}

}  // namespace rarefact
