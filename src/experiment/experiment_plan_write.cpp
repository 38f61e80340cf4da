#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "experiment/experiment_file.hpp"
#include "experiment/experiment_file_write.hpp"
#include "experiment/experiment_plan_source.hpp"
#include "experiment/experiment_plan_values.hpp"

namespace rarefact {

namespace {

/// Whole numbers in equal steps are written as a range from this many on.
constexpr std::size_t least_range = 4;

std::optional<std::int64_t> whole(const std::string& text) {
  std::int64_t value = 0;
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  return read.ec == std::errc() && read.ptr == end ? std::optional(value) : std::nullopt;
}

/// "{range = [a, b, step]}" where the elements are that; else empty.
std::string range_text(const std::vector<AxisElement>& elements) {
  constexpr std::int64_t largest = std::int64_t{1} << 53;
  if (elements.size() < least_range) return {};
  std::vector<std::int64_t> values;
  for (const AxisElement& element : elements) {
    const auto value = whole(element.text);
    if (!value || *value > largest / 2 || *value < -largest / 2) return {};
    values.push_back(*value);
  }
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
  std::string values = names.size() == 1 ? range_text(axis.keys.front().elements) : "";
  if (values.empty()) {
    for (std::size_t i = 0; i < axis.size(); ++i) texts.push_back(place_text(axis.keys, i));
    values = fmt::format("[{}]", joined(texts));
  }
  return fmt::format("{} = {}\n", to_toml(Value(joined(names))), values);
}

/// What the file gives in a table whose row is swept: parameters that differ from the default of some row
/// that has them. So a default that is written out, or left out, makes the same text.
ParameterValues given_parameters(const toml::table& table, const AxisKey& chooser) {
  ParameterValues given;
  ProblemList none("");
  for (const ExperimentKey* key : keys_of_table(find_key(chooser.name)->table)) {
    const toml::node* node = key->owners().empty() ? nullptr : table.get(key->last_name());
    if (node == nullptr) continue;
    for (const AxisElement& element : chooser.elements) {
      const Parameter* parameter = key->parameter_of(std::get<std::string>(element.value));
      if (parameter == nullptr) continue;
      const auto value = read_value(*node, chooser.name, *parameter, none);
      const auto& usual = parameter->default_value;
      if (value && !(usual && canonical(*usual, parameter->kind) == *value))
        given.set(key->last_name(), *value);
    }
  }
  return given;
}

}  // namespace

std::string resolved_text(const ExperimentPlan& plan) {
  const Experiment first = plan.point(0).experiment;
  const std::vector<Axis>& axes = plan.source_->axes;
  if (axes.empty()) return resolved_text(first);
  SweptKeys swept;
  toml::table base = plan.source_->base;
  for (const Axis& axis : axes) {
    for (const AxisKey& key : axis.keys) {
      swept.keys.insert(key.name);
      const std::string table = path_part(key.name);
      swept.both_sides = swept.both_sides || table == "embedding";
      if (find_key(key.name)->selects)
        swept.given[table] = given_parameters(*table_of_key(base, key.name), key);
    }
  }
  std::string text = to_toml(first, swept) + "\n[sweep]\n";
  for (const Axis& axis : axes) text += axis_line(axis);
  std::vector<std::string> files;
  for_telling_points(axes, [&](const PointChoice& choice) {
    place_point(base, axes, choice);
    ProblemList none(plan.source_->file);
    const Experiment experiment = experiment_from(base, plan.source_->file, plan.source_->reading, none);
    for (const std::string& file : named_files(experiment)) {
      if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
    }
    return true;
  });
  return with_digests(text, files, first.base_directory);
}

}  // namespace rarefact
