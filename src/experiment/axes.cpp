#include "experiment/axes.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "core/text.hpp"
#include "experiment/read.hpp"

namespace rarefact {

namespace {

constexpr std::string_view sweep_prefix = "sweep.";

/// Collects the axes as written, by name, without checking their values. Dotted keys may be quoted, plain, or
/// table headers, so tables are searched recursively.
void gather(const ConfigNode& table, const std::string& path, const std::vector<std::string>& labels,
            std::vector<ConfigNode>& axes) {
  for (const ConfigNode& entry : table.as<ConfigTable>()->entries) {
    const std::string name = dotted(path, entry.name);
    const auto* inner = entry.as<ConfigTable>();
    // "optimizer.momentum" is a key, and also a table if an optimizer has that label.
    const bool label = path == "optimizer" && !generates_values(entry);
    const std::string last = keys_of_axis(name, labels).back();
    const ExperimentKey* key = find_key(last);
    const bool known = key != nullptr && key->has(last_part(last));
    if (inner == nullptr || (known && !label) || (inner->in_braces && generates_values(entry))) {
      axes.push_back(entry);
      axes.back().name = name;
    } else {
      gather(entry, name, labels, axes);
    }
  }
}

/// True if a value of a swept key chooses a row that has the parameter.
bool chooses_owner(const AxisKey& swept, const ExperimentKey& key) {
  return std::ranges::any_of(swept.values, [&](const ConfigNode& value) {
    const auto* row = value.as<std::string>();
    return row != nullptr && key.parameter_of(*row) != nullptr;
  });
}

/// Gathers the axes of a file and of the command line.
class AxisReader {
 public:
  AxisReader(ConfigNode& root, ProblemList& problems) : root_(root), problems_(problems) {
    const ConfigNode* sweep = find_table(root, "sweep", "sweep", problems);
    if (sweep != nullptr) gather(*sweep, "", optimizer_labels(root), written_);
    // The TOML library sorts keys by name; the plan's order is that of the file.
    std::ranges::stable_sort(
        written_, {}, [](const ConfigNode& axis) { return std::tuple(axis.key.line, axis.key.column); });
  }

  /// Throws InputError if the override is refused.
  void put_override(const Override& change) {
    if (change.key.starts_with(sweep_prefix)) return set_axis(change);
    replace_axis(change.key);
    apply_override(root_, change);
  }

  Axes axes() {
    for (const ConfigNode& node : written_) read(node);
    auto& entries = std::get<ConfigTable>(root_.value).entries;
    std::erase_if(entries, [](const ConfigNode& entry) { return entry.name == "sweep"; });
    for (const std::string& key : sound_) fix_label(key);
    set_tolerated();
    return std::move(axes_);
  }

 private:
  std::vector<std::string> keys_of(const std::string& name) const {
    return keys_of_axis(name, optimizer_labels(root_));
  }

  /// Records the keys of an axis that --set replaces. Mistakes in the replaced axis are ignored.
  void remember_replaced(const ConfigNode& axis) {
    ProblemList unsaid;
    const auto keys = keys_of(axis.name);
    if (std::any_of(keys.begin(), keys.end(), [](const auto& key) { return find_key(key) == nullptr; }))
      return;
    for (AxisKey& key : axis_keys(axis, keys, unsaid)) replaced_.push_back(std::move(key));
  }

  void set_axis(const Override& change) {
    ConfigNode axis = change.setting();
    axis.name = change.key.substr(sweep_prefix.size());
    axis.key = axis.place;
    const auto keys = [&](const ConfigNode& written) {
      const std::vector<std::string> names = keys_of(written.name);
      return std::set(names.begin(), names.end());
    };
    const auto same = std::find_if(written_.begin(), written_.end(),
                                   [&](const ConfigNode& other) { return keys(other) == keys(axis); });
    if (same != written_.end()) remember_replaced(*same);
    (same != written_.end() ? *same : written_.emplace_back()) = std::move(axis);
  }

  /// Removes the axis of a key that an override replaces by one value. Throws InputError if that is
  /// impossible: the key is on a joint axis, or there are several keys.
  void replace_axis(const std::string& key) {
    if (const auto keys = keys_of(key); keys.size() > 1) {
      throw bad_input("one value belongs to one key; 'sweep.{}=[[...], ...]' sets an axis of several",
                      joined(keys));
    }
    std::vector<std::string> on_axis;
    const auto axis = std::find_if(written_.begin(), written_.end(), [&](const ConfigNode& node) {
      on_axis = keys_of(node.name);
      return contains(on_axis, key);
    });
    if (axis == written_.end()) return;
    if (on_axis.size() > 1) {
      throw bad_input(
          "{0} moves with other keys on the axis \"{1}\"; set all of it: 'sweep.{1}=[[...], ...]'", key,
          joined(on_axis));
    }
    remember_replaced(*axis);
    written_.erase(axis);
  }

  /// The reason that a known key cannot be an axis besides the other axes; an empty message if it can.
  Problem refusal_of(const std::string& key) const {
    const ExperimentKey* row = find_key(key);
    if (!row->has(last_part(key))) return problem_of("say which: {}.NAME", key);
    if (row->name() == "model.loss") return problem_of("the results of two losses have other variables");
    if (row->name() == "name") return problem_of("the name of the experiment cannot be swept");
    if (row->table == "optimizer") {
      const std::string path = path_part(key);
      if (path == "optimizer")
        return problem_of("say which optimizer: optimizer.NAME.{} with its name (or rule)", last_part(key));
      if (row->last_name() == "name") return problem_of("the label of an optimizer cannot be swept");
      const std::string label = path.substr(path.find('.') + 1);
      if (!contains(optimizer_labels(root_), label)) return no_such_optimizer(root_, label);
    }
    // Its name in result files must be unique.
    for (const std::string& other : sound_) {
      if (other == key) return problem_of("there are two axes of this key");
      if (parameter_variable(other) == parameter_variable(key)) {
        return problem_of(
            "its variable in the result would be {}, like that of {}; give the optimizer another name",
            parameter_variable(key), other);
      }
    }
    return {};
  }

  void read(const ConfigNode& written) {
    const std::size_t problems_before = problems_.size(), sound_before = sound_.size();
    const std::vector<std::string> keys = keys_of(written.name);
    for (const std::string& key : keys) {
      if (problems_.full()) break;
      const auto of_axis = sound_.begin() + static_cast<std::ptrdiff_t>(sound_before);
      if (key.empty() && keys.size() > 1) {
        problems_.add(written.key, "sweep.{}: a key is missing beside a comma", joined(keys));
      } else if (std::find(of_axis, sound_.end(), key) != sound_.end()) {
        problems_.add(written.key, "sweep.{}: the axis has the key {} twice", joined(keys), key);
      } else if (find_key(key) == nullptr) {
        problems_.add(written.key, unknown_key(key, "sweep"));
      } else if (const Problem refusal = refusal_of(key); !refusal.message.empty()) {
        problems_.add(written.key, prefixed("sweep." + key, refusal));
      } else {
        sound_.push_back(key);
      }
    }
    Axis axis{{}, written.key};
    if (problems_.size() == problems_before) axis.keys = axis_keys(written, keys, problems_);
    if (problems_.size() > problems_before || problems_.full()) {
      axes_.refused.insert(axes_.refused.end(), sound_.begin() + static_cast<std::ptrdiff_t>(sound_before),
                           sound_.end());
      sound_.resize(sound_before);
      return;
    }
    // The order of the keys in the file has no meaning.
    std::ranges::sort(axis.keys, {}, &AxisKey::name);
    axes_.list.push_back(std::move(axis));
  }

  /// An axis on the rule of an optimizer must not change its label.
  void fix_label(const std::string& key) {
    ConfigNode* table = key.starts_with("optimizer.") ? table_of_key(root_, key) : nullptr;
    if (table != nullptr && table->get("name") == nullptr)
      table->put({.value = label_of(*table), .name = "name"});
  }

  void set_tolerated() {
    std::vector<AxisKey> choosing = replaced_;
    for (const Axis& axis : axes_.list) choosing.insert(choosing.end(), axis.keys.begin(), axis.keys.end());
    for (const AxisKey& chooser : choosing) {
      const ExperimentKey& selector = *find_key(chooser.name);
      if (!selector.selects) continue;
      const std::string table = path_part(chooser.name);
      for (const ExperimentKey* key : keys_of_table(selector.table)) {
        const std::string& name = key->last_name();
        if (key->owned() && !contains(sound_, dotted(table, name)) && chooses_owner(chooser, *key))
          axes_.reading.tolerated[table].push_back(name);
      }
    }
  }

  ConfigNode& root_;
  ProblemList& problems_;
  std::vector<ConfigNode> written_ = {};
  std::vector<std::string> sound_ = {};  ///< keys of the axes that have no problem
  /// Keys whose axis was replaced by an override; parameters that the file has only for the replaced values
  /// are no mistakes.
  std::vector<AxisKey> replaced_ = {};
  Axes axes_ = {};
};

}  // namespace

Axes take_axes(ConfigNode& root, const std::vector<std::string>& overrides, ProblemList& problems) {
  AxisReader reader(root, problems);
  for_overrides(overrides, problems, [&](const Override& change) { reader.put_override(change); });
  return reader.axes();
}

}  // namespace rarefact
