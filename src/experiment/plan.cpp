#include "experiment/plan.hpp"

#include <algorithm>
#include <tuple>

#include "core/digest.hpp"
#include "core/text.hpp"
#include "experiment/axes.hpp"
#include "experiment/write.hpp"

namespace rarefact {

namespace {

/// Largest number of points; more are probably a mistake.
constexpr double max_points = 1e7;
/// Number of points checked after the first with a problem; checking all of a long axis would take too long.
constexpr std::size_t points_after_problem = 1000;
/// Number of suspicious values that are checked first.
constexpr std::size_t max_suspects = 100;

/// True if a point of a long sweep measures its digits. Its own experiment decides, so that a point is the same in every
/// long sweep, whatever the other points are.
bool measures_digits(Experiment experiment) {
  experiment.name.clear();
  return std::string_view("08").find(sha256_hex(to_toml(experiment)).front()) != std::string_view::npos;
}

/// An index into each axis.
using PointChoice = std::vector<std::size_t>;

/// Puts the chosen values into the tables of a file.
void place_point(ConfigNode& root, const std::vector<Axis>& axes, const PointChoice& choice) {
  for (std::size_t a = 0; a < axes.size(); ++a) {
    for (const AxisKey& key : axes[a].keys) {
      ConfigNode value = key.values[choice[a]];
      value.key = axes[a].where;
      value.key.full_key = value.place.full_key;
      put_setting(root, key.name, std::move(value));
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

/// Calls `visit` with the tables of representative points, which show every problem that any point has. Keys
/// of different tables ([classes], [run], an optimizer ...) are independent, so for each table these are the
/// product of the axes with a key of the table, the others at their first value. `visit` returns false to
/// stop.
void for_representative_points(ConfigNode root, const std::vector<Axis>& axes,
                               const std::function<bool(const ConfigNode&)>& visit) {
  std::map<std::string, std::vector<std::size_t>> tables;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    for (const AxisKey& key : axes[a].keys) {
      const KeyPath path(key.name);
      auto& varied = tables[path.table == "embedding" ? path.table : path.section()];
      if (varied.empty() || varied.back() != a) varied.push_back(a);
    }
  }
  PointChoice choice(axes.size(), 0);
  const auto show = [&] {
    place_point(root, axes, choice);
    return visit(root);
  };
  if (!show()) return;
  for (const auto& [table, varied] : tables) {
    while (advance(choice, varied, axes))
      if (!show()) return;
  }
}

/// True if the problem is that a key is missing whose axis was refused.
bool lacks(const Problem& problem, const std::vector<std::string>& refused) {
  return problem.missing && std::ranges::any_of(refused, [&](const std::string& key) {
           return problem.key == key || problem.key == find_key(key)->name();
         });
}

/// Points that usually show a wrong axis: the first, those with a value that is legal for no row that has its
/// key (other axes at their first value), and the last.
std::vector<PointChoice> suspects(const std::vector<Axis>& axes) {
  PointChoice choice(axes.size(), 0);
  std::vector<PointChoice> choices = {choice};
  for (std::size_t a = 0; a < axes.size(); choice[a++] = 0) {
    for (const AxisKey& key : axes[a].keys) {
      const auto& uses = find_key(key.name)->uses;
      std::size_t found = 0;
      for (std::size_t i = 0; i < axes[a].size() && found < max_suspects; ++i) {
        const auto takes = [&](const auto& use) {
          return legal_value(key.values[i], use.parameter).has_value();
        };
        if (std::ranges::any_of(uses, takes)) continue;
        ++found;
        choice[a] = i;
        choices.push_back(choice);
      }
    }
  }
  for (std::size_t a = 0; a < axes.size(); ++a) choice[a] = axes[a].size() - 1;
  choices.push_back(choice);
  return choices;
}

/// The experiment of the first point, and the files that any point names.
struct Checked {
  std::optional<Experiment> first = {};
  std::vector<std::string> files = {};
};

/// Reads the representative points and reports each problem of a key at a position once.
Checked check_points(const ConfigNode& base, const std::string& file, const Axes& axes,
                     ProblemList& problems) {
  using Said = std::tuple<std::string, int, int, std::string>;
  std::set<Said> said;
  std::size_t after = 0;
  Checked checked;
  const auto look = [&](const ConfigNode& root) {
    ProblemList found(file);
    Experiment experiment = experiment_from(root, file, axes.reading, found);
    if (found.size() == 0) {
      for (const std::string& named : named_files(experiment))
        if (!contains(checked.files, named)) checked.files.push_back(named);
    }
    if (!checked.first) checked.first = std::move(experiment);
    std::set<Said> now;
    for (const Problem& problem : found.all()) {
      if (lacks(problem, axes.refused)) continue;
      const Said what(problem.file, problem.line, problem.column, problem.key);
      if (!said.contains(what)) problems.add(problem);
      now.insert(what);
    }
    said.merge(now);
    return !problems.full() && (problems.size() == 0 || ++after < points_after_problem);
  };
  if (axes.list.empty()) {
    look(base);
    return checked;
  }
  for (const PointChoice& choice : suspects(axes.list)) {
    ConfigNode root = base;
    place_point(root, axes.list, choice);
    if (!look(root)) return {};
  }
  checked.files.clear();
  for_representative_points(base, axes.list, look);
  return checked;
}

/// The parameters given in a table whose row is swept that differ from the default of some row that has them,
/// so that writing out a default does not change the canonical text.
ParameterValues given_parameters(const ConfigNode& table, const AxisKey& chooser) {
  ParameterValues given;
  for (const ExperimentKey* key : keys_of_table(find_key(chooser.name)->table)) {
    if (!key->owned()) continue;
    for (const ConfigNode& setting : table.as<ConfigTable>()->entries) {
      if (!key->has(setting.name)) continue;
      for (const ConfigNode& row : chooser.values) {
        const Parameter* parameter = key->parameter_of(*row.as<std::string>());
        if (parameter == nullptr) continue;
        const auto value = legal_value(setting, *parameter);
        const auto& usual = parameter->default_value;
        if (value && !(usual && canonical(*usual, parameter->kind) == *value))
          given.set(setting.name, *value);
      }
    }
  }
  return given;
}

}  // namespace

struct ExperimentPlan::Source {
  std::string file;
  ConfigNode base;  ///< the file without [sweep], after the overrides
  std::vector<Axis> axes;
  std::optional<Experiment> first;  ///< of the first point
  std::vector<std::string> files;   ///< that any point names
  PointReading reading;

  /// The tables of the file with the values of a point.
  ConfigNode placed(std::size_t index) const {
    PointChoice choice(axes.size());
    for (std::size_t a = axes.size(); a-- > 0; index /= axes[a].size()) choice[a] = index % axes[a].size();
    ConfigNode root = base;
    place_point(root, axes, choice);
    return root;
  }
};

std::string SweepAxis::name() const {
  return joined(keys);
}

SweepPoint ExperimentPlan::point(std::size_t index) const {
  Experiment experiment = *source_->first;
  if (index > 0) {
    ProblemList problems(source_->file);
    experiment = experiment_from(source_->placed(index), source_->file, source_->reading, problems);
    problems.throw_if_any();
  }
  if (size_ > max_measured_points) {
    if (experiment.digits == "auto" && !measures_digits(experiment)) experiment.digits = "noted";
    if (experiment.spectral_metrics == "auto") experiment.spectral_metrics = "cheap";
  }
  return {parameters(index), std::move(experiment)};
}

std::map<std::string, SweptValue> ExperimentPlan::parameters(std::size_t index) const {
  std::map<std::string, SweptValue> parameters;
  for (std::size_t a = axes_.size(); a-- > 0; index /= axes_[a].size()) {
    for (std::size_t k = 0; k < axes_[a].keys.size(); ++k)
      parameters[axes_[a].keys[k]] = axes_[a].values[k][index % axes_[a].size()];
  }
  return parameters;
}

SweepPlan ExperimentPlan::points() const {
  return {size_, [plan = *this](std::size_t index) { return plan.point(index); }};
}

Problem ExperimentPlan::placed(std::size_t index, Problem problem) const {
  if (problem.key.empty()) {
    if (problem.file.empty()) problem.file = source_->file;
    return problem;
  }
  const std::string& key = problem.key;
  if (!problem.file.empty()) problem = prefixed(problem.file, problem);
  ConfigNode root = source_->placed(index);
  // The embedding may be given once for both sides.
  const std::string shared = KeyPath(key).table == "embedding" ? "embedding." + KeyPath(key).name : key;
  const ConfigNode* written = setting_of_key(root, key);
  if (written == nullptr) written = setting_of_key(root, shared);
  if (written == nullptr) written = table_of_key(root, shared);
  const Place place = written != nullptr ? written->place : Place{};
  return ProblemList(source_->file).at(place, std::move(problem));
}

ExperimentPlan parse_plan(std::string_view text, const std::string& file,
                          const std::vector<std::string>& overrides) {
  auto source = std::make_shared<ExperimentPlan::Source>();
  source->file = file;
  source->base = parse_file(text, file);
  ProblemList problems(file);
  Axes axes = take_axes(source->base, overrides, problems);
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
  if (size > max_points) {
    problems.add(axes.list.front().where, "[sweep] has {:.15g} points; at most {:.15g} are possible", size,
                 max_points);
  } else {
    auto [first, files] = check_points(source->base, file, axes, problems);
    source->first = std::move(first);
    source->files = std::move(files);
  }
  problems.throw_if_any();
  plan.size_ = static_cast<std::size_t>(size);
  source->reading = std::move(axes.reading);
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
  const Experiment& first = *source.first;
  if (source.axes.empty()) return resolved_text(first);
  SweptKeys swept;
  ConfigNode base = source.base;
  for (const Axis& axis : source.axes) {
    for (const AxisKey& key : axis.keys) {
      swept.keys.insert(key.name);
      const std::string table = KeyPath(key.name).section();
      swept.both_sides = swept.both_sides || table == "embedding";
      if (find_key(key.name)->selects)
        swept.given[table] = given_parameters(*table_of_key(base, key.name), key);
    }
  }
  std::string text = to_toml(first, swept) + "\n[sweep]\n";
  for (const Axis& axis : source.axes) text += axis_line(axis);
  return with_digests(text, source.files, first.base_directory);
}

}  // namespace rarefact
