#include "experiment/plan.hpp"

#include "core/digest.hpp"
#include "experiment/plan_check.hpp"
#include "experiment/write.hpp"

namespace rarefact {

namespace {

/// Largest number of points; more are probably a mistake.
constexpr double max_points = 1e7;

/// True if a point of a long sweep measures its digits, which its experiment alone decides: it is the same in all of them.
bool measures_digits(Experiment experiment) {
  experiment.name.clear();
  return std::string_view("08").find(sha256_hex(to_toml(experiment)).front()) != std::string_view::npos;
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
