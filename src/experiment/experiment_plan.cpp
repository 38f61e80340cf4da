#include "experiment/experiment_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "experiment/experiment_plan_source.hpp"

namespace rarefact {

namespace {

/// Beyond this many problems more of them help nobody.
constexpr std::size_t enough_problems = 100;

/// The part of a file whose keys are read together: "classes", "embedding", "optimizer.LABEL" ...
std::string reading_unit(const std::string& key) {
  return key.starts_with("embedding.") ? "embedding" : path_part(key);
}

/// The next choice of the axes in `varied`, last one fastest; false after the last.
bool advance(PointChoice& choice, const std::vector<std::size_t>& varied, const std::vector<Axis>& axes) {
  for (std::size_t i = varied.size(); i-- > 0;) {
    if (++choice[varied[i]] < axes[varied[i]].size()) return true;
    choice[varied[i]] = 0;
  }
  return false;
}

/// Whether an element of a swept key chooses a row that has the parameter.
bool chooses_owner(const AxisKey& swept, const ExperimentKey& key) {
  return std::any_of(swept.elements.begin(), swept.elements.end(), [&](const AxisElement& element) {
    const auto* row = std::get_if<std::string>(&element.value);
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
      if (key->owners().empty() || swept.contains(table + "." + key->last_name())) continue;
      if (chooses_owner(chooser, *key)) reading.tolerated[table].push_back(key->last_name());
    }
  }
  return reading;
}

/// An axis on the rule of an optimizer must not change its label.
void fix_labels(toml::table& root, const std::vector<Axis>& axes) {
  for (const Axis& axis : axes) {
    for (const AxisKey& key : axis.keys) {
      if (!key.name.starts_with("optimizer.")) continue;
      toml::table* table = table_of_key(root, key.name);
      if (table != nullptr && !table->contains("name")) table->insert("name", label_of(*table));
    }
  }
}

/// What a message is about, so that other points do not say the same once more.
std::string subject(const Problem& problem) {
  return problem.message.substr(0, problem.message.find(' '));
}

/// Whether a problem is only that a key is missing whose axis was refused.
bool lacks(const Problem& problem, const std::vector<std::string>& refused) {
  return std::any_of(refused.begin(), refused.end(), [&](const std::string& key) {
    return problem.message.starts_with(find_key(key)->name() + " is missing") ||
           problem.message.starts_with(key + " is missing");
  });
}

/// Reads the telling points. They are put into `base` itself, since a copy would forget where its nodes were.
void check_points(toml::table& base, const std::string& file, const Axes& axes, const PointReading& reading,
                  ProblemList& problems) {
  std::set<std::tuple<std::string, int, int, std::string>> said;
  for_telling_points(axes.list, [&](const PointChoice& choice) {
    place_point(base, axes.list, choice);
    ProblemList found(file);
    experiment_from(base, file, reading, found);
    std::vector<std::tuple<std::string, int, int, std::string>> now;
    for (const Problem& problem : found.all()) {
      if (lacks(problem, axes.refused)) continue;
      now.emplace_back(problem.file, problem.line, problem.column, subject(problem));
      if (!said.contains(now.back())) problems.add(problem);
    }
    said.insert(now.begin(), now.end());
    return problems.all().size() < enough_problems;
  });
}

}  // namespace

void place_point(toml::table& root, const std::vector<Axis>& axes, const PointChoice& choice) {
  for (std::size_t a = 0; a < axes.size(); ++a) {
    for (const AxisKey& key : axes[a].keys) {
      toml::table* table = table_of_key(root, key.name);
      if (table == nullptr) continue;  // the reader says what is in the way
      toml::table element = element_node(key.elements[choice[a]]);
      place_node(*table, last_part(key.name), *element.get("value"), axes[a].where);
    }
  }
}

void for_telling_points(const std::vector<Axis>& axes, const std::function<bool(const PointChoice&)>& visit) {
  std::map<std::string, std::vector<std::size_t>> units;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    for (const AxisKey& key : axes[a].keys) {
      auto& varied = units[reading_unit(key.name)];
      if (varied.empty() || varied.back() != a) varied.push_back(a);
    }
  }
  PointChoice choice(axes.size(), 0);
  if (!visit(choice)) return;
  for (const auto& [unit, varied] : units) {
    while (advance(choice, varied, axes)) {
      if (!visit(choice)) return;
    }
  }
}

std::string SweepAxis::name() const {
  return joined(keys);
}

SweepPoint ExperimentPlan::point(std::size_t index) const {
  PointChoice choice(axes_.size());
  SweepPoint point;
  for (std::size_t a = axes_.size(); a-- > 0;) {
    choice[a] = index % axes_[a].size();
    index /= axes_[a].size();
    for (std::size_t k = 0; k < axes_[a].keys.size(); ++k)
      point.parameters[axes_[a].keys[k]] = axes_[a].values[k][choice[a]];
  }
  toml::table root = source_->base;
  place_point(root, source_->axes, choice);
  ProblemList problems(source_->file);
  point.experiment = experiment_from(root, source_->file, source_->reading, problems);
  problems.throw_if_any();
  return point;
}

SweepPlan ExperimentPlan::points() const {
  return {size_, [plan = *this](std::size_t index) { return plan.point(index); }};
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

}  // namespace rarefact
