#include "experiment_plan_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "experiment_file_tables.hpp"
#include "experiment_plan_values.hpp"
#include "rarefact/io/result_layout.hpp"

namespace rarefact {

namespace {

constexpr std::string_view sweep_prefix = "sweep.";

/// An axis as written: its values are not looked at yet.
struct WrittenAxis {
  std::string key;
  toml::source_region where;
  const toml::node* node;
  std::shared_ptr<toml::table> owner = {};  ///< of a node that came with --set
};

/// Dotted keys may be in quotes, plain, or headers of tables, so tables are walked down to the values.
void gather(const toml::table& table, const std::string& path, std::vector<WrittenAxis>& axes) {
  for (auto&& [toml_key, node] : table) {
    const std::string key = (path.empty() ? "" : path + ".") + std::string(toml_key.str());
    const toml::table* inner = node.as_table();
    // "optimizer.momentum" is a key, and a table where an optimizer has that label.
    const bool label = path == "optimizer" && inner != nullptr && !generates_values(*inner);
    const bool axis = inner == nullptr || (find_key(key) != nullptr && !label) ||
                      (inner->is_inline() && generates_values(*inner));
    if (axis) {
      axes.push_back({key, toml_key.source(), &node});
    } else {
      gather(*inner, key, axes);
    }
  }
}

std::vector<WrittenAxis> written_axes(const toml::table& sweep) {
  std::vector<WrittenAxis> axes;
  gather(sweep, "", axes);
  // The TOML library sorts keys by name; the plan's order is that of the file.
  std::stable_sort(axes.begin(), axes.end(), [](const WrittenAxis& a, const WrittenAxis& b) {
    const auto &x = a.where.begin, &y = b.where.begin;
    return std::tuple(x.line, x.column) < std::tuple(y.line, y.column);
  });
  return axes;
}

void set_axis(std::vector<WrittenAxis>& axes, const OverrideParts& parts, const std::string& override_text,
              ProblemList& problems) {
  auto parsed = override_value(parts.value, override_text, problems);
  if (!parsed) return;
  WrittenAxis axis{
      parts.key.substr(sweep_prefix.size()), {}, nullptr, std::make_shared<toml::table>(std::move(*parsed))};
  axis.node = axis.owner->get("value");
  axis.where = axis.node->source();
  const auto same =
      std::find_if(axes.begin(), axes.end(), [&](const WrittenAxis& other) { return other.key == axis.key; });
  if (same == axes.end()) {
    axes.push_back(std::move(axis));
  } else {
    *same = std::move(axis);
  }
}

void replace_axis(std::vector<WrittenAxis>& written, const std::string& key, Axes& axes) {
  const auto axis =
      std::find_if(written.begin(), written.end(), [&](const WrittenAxis& one) { return one.key == key; });
  if (axis == written.end()) return;
  ProblemList unsaid("");  // an axis that is not used may be wrong
  if (const ExperimentKey* row = find_key(key))
    axes.replaced.push_back({key, axis->where, axis_elements(*axis->node, key, *row, unsaid)});
  written.erase(axis);
}

/// Why a key cannot be an axis; empty where it can.
std::string objection_to(const std::string& key, const toml::table& root) {
  const ExperimentKey* row = find_key(key);
  if (row == nullptr) {
    return fmt::format("unknown key \"{}\" in [sweep]{}", key,
                       did_you_mean(joined(nearest_keys(key), "\" or \"")));
  }
  if (row->name() == "name") return "sweep.name: the name of the experiment cannot be swept";
  if (row->table != "optimizer") return {};
  const std::string path = path_part(key);
  if (path == "optimizer") {
    return fmt::format("sweep.{}: say which optimizer: optimizer.NAME.{} with its name (or rule)", key,
                       row->last_name());
  }
  if (row->last_name() == "name")
    return fmt::format("sweep.{}: the label of an optimizer cannot be swept", key);
  const std::string label = path.substr(path.find('.') + 1);
  const auto labels = optimizer_labels(root);
  if (std::find(labels.begin(), labels.end(), label) != labels.end()) return {};
  return fmt::format("sweep.{}: {}", key, no_such_optimizer(root, label));
}

/// An axis must be named so that result files can tell it from the others.
std::string collision(const std::string& key, const std::vector<Axis>& others) {
  for (const Axis& other : others) {
    if (other.key == key) return fmt::format("sweep.{}: there are two axes of this key", key);
    if (parameter_variable(other.key) == parameter_variable(key)) {
      return fmt::format(
          "sweep.{}: its variable in the result would be {}, like that of {}; give the optimizer "
          "another name",
          key, parameter_variable(key), other.key);
    }
  }
  return {};
}

}  // namespace

Axes take_axes(toml::table& root, const std::vector<std::string>& overrides, ProblemList& problems) {
  const toml::table* sweep = find_table(root, "sweep", "sweep", problems);
  Axes axes;
  std::vector<WrittenAxis> written = sweep == nullptr ? std::vector<WrittenAxis>{} : written_axes(*sweep);
  for (const std::string& text : overrides) {
    ProblemList unsaid("");  // apply_override says it
    const auto parts = override_parts(text, unsaid);
    if (parts && parts->key.starts_with(sweep_prefix)) {
      set_axis(written, *parts, text, problems);
      continue;
    }
    if (parts) replace_axis(written, parts->key, axes);
    apply_override(root, text, problems);
  }
  for (const WrittenAxis& one : written) {
    std::string objection = objection_to(one.key, root);
    if (objection.empty()) objection = collision(one.key, axes.list);
    if (!objection.empty()) {
      problems.add(one.where, objection);
      continue;
    }
    const std::size_t before = problems.all().size();
    Axis axis{one.key, one.where, axis_elements(*one.node, one.key, *find_key(one.key), problems)};
    if (problems.all().size() == before) {
      axes.list.push_back(std::move(axis));
    } else {
      axes.refused.push_back(one.key);
    }
  }
  root.erase("sweep");
  return axes;
}

toml::table element_node(const AxisElement& element) {
  return toml::parse("value = " + element.text, element.place);
}

std::vector<SweptValue> swept_values(const Axis& axis) {
  std::vector<SweptValue> values;
  for (const AxisElement& element : axis.elements) values.push_back(element.value);
  const auto is_text = [](const SweptValue& value) { return std::holds_alternative<std::string>(value); };
  if (std::none_of(values.begin(), values.end(), is_text)) return values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!is_text(values[i])) values[i] = axis.elements[i].text;
  }
  return values;
}

}  // namespace rarefact
