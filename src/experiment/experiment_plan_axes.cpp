#include "experiment/experiment_plan_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

#include "experiment/experiment_file_tables.hpp"
#include "experiment/experiment_plan_joint.hpp"
#include "experiment/experiment_plan_values.hpp"

namespace rarefact {

namespace {

constexpr std::string_view sweep_prefix = "sweep.";

/// An axis as written: its values are not looked at yet.
struct WrittenAxis {
  std::string name;
  toml::source_region where;
  const toml::node* node;
  std::shared_ptr<toml::table> owner = {};  ///< of a node that came with --set
};

/// Dotted keys may be in quotes, plain, or headers of tables, so tables are walked down to the values.
void gather(const toml::table& table, const std::string& path, const std::vector<std::string>& labels,
            std::vector<WrittenAxis>& axes) {
  for (auto&& [toml_key, node] : table) {
    const std::string name = (path.empty() ? "" : path + ".") + std::string(toml_key.str());
    const toml::table* inner = node.as_table();
    // "optimizer.momentum" is a key, and a table where an optimizer has that label.
    const bool label = path == "optimizer" && inner != nullptr && !generates_values(*inner);
    const bool known = find_key(keys_of_axis(name, labels).back()) != nullptr;
    const bool axis =
        inner == nullptr || (known && !label) || (inner->is_inline() && generates_values(*inner));
    if (axis) {
      axes.push_back({name, toml_key.source(), &node});
    } else {
      gather(*inner, name, labels, axes);
    }
  }
}

std::vector<WrittenAxis> written_axes(const toml::table& sweep, const std::vector<std::string>& labels) {
  std::vector<WrittenAxis> axes;
  gather(sweep, "", labels, axes);
  // The TOML library sorts keys by name; the plan's order is that of the file.
  std::stable_sort(axes.begin(), axes.end(), [](const WrittenAxis& a, const WrittenAxis& b) {
    const auto &x = a.where.begin, &y = b.where.begin;
    return std::tuple(x.line, x.column) < std::tuple(y.line, y.column);
  });
  return axes;
}

/// The values of an axis that gives way to what --set says. An axis that is not used may be wrong.
void remember_replaced(const WrittenAxis& written, const std::vector<std::string>& keys, Axes& axes) {
  ProblemList unsaid("");
  if (std::any_of(keys.begin(), keys.end(), [](const auto& key) { return find_key(key) == nullptr; })) return;
  const auto old = keys.size() > 1
                       ? joint_axis_keys(*written.node, keys, unsaid)
                       : std::vector<AxisKey>{
                             {keys[0], axis_elements(*written.node, keys[0], *find_key(keys[0]), unsaid)}};
  axes.replaced.insert(axes.replaced.end(), old.begin(), old.end());
}

void set_axis(std::vector<WrittenAxis>& written, const OverrideParts& parts, const std::string& override_text,
              const std::vector<std::string>& labels, Axes& axes, ProblemList& problems) {
  auto parsed = override_value(parts.value, override_text, problems);
  if (!parsed) return;
  WrittenAxis axis{
      parts.key.substr(sweep_prefix.size()), {}, nullptr, std::make_shared<toml::table>(std::move(*parsed))};
  axis.node = axis.owner->get("value");
  axis.where = axis.node->source();
  const auto keys = [&](const WrittenAxis& one) {
    const std::vector<std::string> names = keys_of_axis(one.name, labels);
    return std::set(names.begin(), names.end());
  };
  const auto same = std::find_if(written.begin(), written.end(),
                                 [&](const WrittenAxis& other) { return keys(other) == keys(axis); });
  if (same == written.end()) {
    written.push_back(std::move(axis));
  } else {
    remember_replaced(*same, keys_of_axis(same->name, labels), axes);
    *same = std::move(axis);
  }
}

/// Drops the axis of a key that an override replaces by one value. False, and a problem, where no value can
/// be put there: the key moves with others on its axis, or it is several.
bool replace_axis(std::vector<WrittenAxis>& written, const std::string& key, const std::string& override_text,
                  const std::vector<std::string>& labels, Axes& axes, ProblemList& problems) {
  if (const auto keys = keys_of_axis(key, labels); keys.size() > 1) {
    problems.add_override(
        override_text,
        fmt::format("one value belongs to one key; 'sweep.{}=[[...], ...]' sets an axis of several",
                    joined(keys)));
    return false;
  }
  std::vector<std::string> on_axis;
  const auto axis = std::find_if(written.begin(), written.end(), [&](const WrittenAxis& one) {
    on_axis = keys_of_axis(one.name, labels);
    return std::find(on_axis.begin(), on_axis.end(), key) != on_axis.end();
  });
  if (axis == written.end()) return true;
  if (on_axis.size() > 1) {
    const std::string name = joined(on_axis);
    problems.add_override(
        override_text,
        fmt::format("{} moves with other keys on the axis \"{}\"; set all of it: 'sweep.{}=[[...], ...]'",
                    key, name, name));
    return false;
  }
  remember_replaced(*axis, on_axis, axes);
  written.erase(axis);
  return true;
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

/// A swept key must be named so that result files can tell it from the others.
std::string collision(const std::string& key, const std::vector<std::string>& others) {
  for (const std::string& other : others) {
    if (other == key) return fmt::format("sweep.{}: there are two axes of this key", key);
    if (parameter_variable(other) == parameter_variable(key)) {
      return fmt::format(
          "sweep.{}: its variable in the result would be {}, like that of {}; give the optimizer "
          "another name",
          key, parameter_variable(key), other);
    }
  }
  return {};
}

/// The keys of an axis that may stand on it, a problem for each of the others.
std::vector<std::string> sound_keys(const std::vector<std::string>& keys, const toml::source_region& where,
                                    const toml::table& root, const Axes& axes, ProblemList& problems) {
  std::vector<std::string> others, sound;
  for (const Axis& axis : axes.list) {
    for (const AxisKey& key : axis.keys) others.push_back(key.name);
  }
  for (const std::string& key : keys) {
    std::string objection;
    if (key.empty() && keys.size() > 1) {
      objection = fmt::format("sweep.{}: a key is missing beside a comma", joined(keys));
    } else if (std::find(sound.begin(), sound.end(), key) != sound.end()) {
      objection = fmt::format("sweep.{}: the axis has the key {} twice", joined(keys), key);
    } else {
      objection = objection_to(key, root);
      if (objection.empty()) objection = collision(key, others);
    }
    if (objection.empty()) {
      sound.push_back(key);
      others.push_back(key);
    } else {
      problems.add(where, objection);
    }
  }
  return sound;
}

/// The axis of these keys; no value where a problem was found.
std::optional<Axis> read_axis(const WrittenAxis& written, const std::vector<std::string>& keys,
                              ProblemList& problems) {
  const std::size_t before = problems.all().size();
  Axis axis{{}, written.where};
  if (keys.size() == 1) {
    const std::string& key = keys.front();
    axis.keys = {{key, axis_elements(*written.node, key, *find_key(key), problems)}};
  } else {
    axis.keys = joint_axis_keys(*written.node, keys, problems);
    // In whatever order a file names them, it means the same.
    std::sort(axis.keys.begin(), axis.keys.end(),
              [](const AxisKey& a, const AxisKey& b) { return a.name < b.name; });
  }
  return problems.all().size() == before ? std::optional(std::move(axis)) : std::nullopt;
}

}  // namespace

Axes take_axes(toml::table& root, const std::vector<std::string>& overrides, ProblemList& problems) {
  const toml::table* sweep = find_table(root, "sweep", "sweep", problems);
  Axes axes;
  std::vector<WrittenAxis> written;
  if (sweep != nullptr) written = written_axes(*sweep, optimizer_labels(root));
  for (const std::string& text : overrides) {
    ProblemList unsaid("");  // apply_override says it
    const auto parts = override_parts(text, unsaid);
    const std::vector<std::string> labels = optimizer_labels(root);
    if (parts && parts->key.starts_with(sweep_prefix)) {
      set_axis(written, *parts, text, labels, axes, problems);
    } else if (!parts || replace_axis(written, parts->key, text, labels, axes, problems)) {
      apply_override(root, text, problems);
    }
  }
  for (const WrittenAxis& one : written) {
    const std::vector<std::string> keys = keys_of_axis(one.name, optimizer_labels(root));
    const std::vector<std::string> sound = sound_keys(keys, one.where, root, axes, problems);
    if (sound.size() == keys.size()) {
      if (auto axis = read_axis(one, keys, problems)) {
        axes.list.push_back(std::move(*axis));
        continue;
      }
    }
    axes.refused.insert(axes.refused.end(), sound.begin(), sound.end());
  }
  root.erase("sweep");
  return axes;
}

toml::table element_node(const AxisElement& element) {
  return toml::parse("value = " + element.text, element.place);
}

std::vector<SweptValue> swept_values(const AxisKey& key) {
  std::vector<SweptValue> values;
  for (const AxisElement& element : key.elements) values.push_back(element.value);
  const auto is_text = [](const SweptValue& value) { return std::holds_alternative<std::string>(value); };
  if (std::none_of(values.begin(), values.end(), is_text)) return values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!is_text(values[i])) values[i] = key.elements[i].text;
  }
  return values;
}

}  // namespace rarefact
