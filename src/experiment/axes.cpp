#include "experiment/axes.hpp"

#include <set>
#include <tuple>

namespace rarefact {

namespace {

constexpr std::string_view sweep_prefix = "sweep.";

/// An axis as written, its values not checked.
struct WrittenAxis {
  std::vector<std::string> keys;
  ConfigNode values;
};

/// Collects the axes. Dotted keys may be quoted, plain, or table headers, so tables are searched recursively.
void gather(const ConfigNode& table, const std::string& path, std::vector<WrittenAxis>& axes) {
  for (const ConfigNode& entry : table.as<ConfigTable>()->entries) {
    const std::string name = dotted(path, entry.name);
    const auto* inner = entry.as<ConfigTable>();
    const std::vector<std::string> keys = keys_of_axis(name);
    // "optimizer.momentum" is a key, and also a table if an optimizer has that label.
    const bool label = path == "optimizer" && !generates_values(entry);
    const ExperimentKey* key = find_key(keys.back());
    const bool known = key != nullptr && key->has(KeyPath(keys.back()).name);
    if (inner == nullptr || (known && !label) || (inner->in_braces && generates_values(entry)))
      axes.push_back({keys, entry});
    else
      gather(entry, name, axes);
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
    if (sweep != nullptr) gather(*sweep, "", written_);
    // The TOML library sorts keys by name; the plan's order is that of the file.
    std::ranges::stable_sort(written_, {}, [](const WrittenAxis& axis) {
      return std::tuple(axis.values.key.line, axis.values.key.column);
    });
  }

  void put_override(const Override& change) {
    if (change.key.starts_with(sweep_prefix)) return set_axis(change);
    replace_axis(change.key);
    apply_override(root_, change);
  }

  Axes axes() {
    for (const WrittenAxis& axis : written_) read(axis);
    root_.erase("sweep");
    for (const std::string& key : sound_) keep_label(root_, key);
    set_tolerated();
    return std::move(axes_);
  }

 private:
  void set_axis(const Override& change) {
    WrittenAxis axis{keys_of_axis(change.key.substr(sweep_prefix.size())), change.setting()};
    axis.values.key = axis.values.place;
    const auto sorted = [](const WrittenAxis& written) {
      return std::set(written.keys.begin(), written.keys.end());
    };
    const auto same = std::ranges::find(written_, sorted(axis), sorted);
    if (same == written_.end()) return written_.push_back(std::move(axis));
    replaced_.push_back(std::exchange(*same, std::move(axis)));
  }

  /// Removes the axis of a key that an override replaces by one value. Throws InputError if that is
  /// impossible: the key is on a joint axis, or there are several keys.
  void replace_axis(const std::string& key) {
    if (const auto keys = keys_of_axis(key); keys.size() > 1) {
      throw bad_input("one value belongs to one key; 'sweep.{}=[[...], ...]' sets an axis of several",
                      joined(keys));
    }
    const auto axis =
        std::ranges::find_if(written_, [&](const WrittenAxis& other) { return contains(other.keys, key); });
    if (axis == written_.end()) return;
    if (axis->keys.size() > 1) {
      throw bad_input(
          "{0} moves with other keys on the axis \"{1}\"; set all of it: 'sweep.{1}=[[...], ...]'", key,
          joined(axis->keys));
    }
    replaced_.push_back(std::move(*axis));
    written_.erase(axis);
  }

  /// Why a known key cannot be on an axis beside the `sound` ones; an empty message if it can.
  Problem refusal_of(const std::string& key, const std::vector<std::string>& sound) const {
    const ExperimentKey& row = *find_key(key);
    if (!row.has(KeyPath(key).name)) return problem_of("say which: {}.NAME", key);
    if (row.name() == "model.loss") return problem_of("results of the two losses have different variables");
    if (row.name() == "name") return problem_of("the name of the experiment cannot be swept");
    if (row.name() == "optimizer.name") return problem_of("the label of an optimizer cannot be swept");
    // Its name in result files must be unique.
    if (contains(sound_, key)) return problem_of("this key has two axes");
    for (const auto& keys : {sound_, sound}) {
      const auto other = std::ranges::find(keys, parameter_variable(key), parameter_variable);
      if (other == keys.end()) continue;
      return problem_of(
          "its variable in the result would be {}, like that of {}; give the optimizer another name",
          parameter_variable(key), *other);
    }
    return objection_to(root_, key);
  }

  void read(const WrittenAxis& written) {
    const Place& place = written.values.key;
    const std::size_t problems_before = problems_.size();
    std::vector<std::string> sound;
    for (const std::string& key : written.keys) {
      if (problems_.full()) break;
      if (key.empty() && written.keys.size() > 1) {
        problems_.add(place, "sweep.{}: a key is missing beside a comma", joined(written.keys));
      } else if (contains(sound, key)) {
        problems_.add(place, "sweep.{}: the axis has the key {} twice", joined(written.keys), key);
      } else if (find_key(key) == nullptr) {
        problems_.add(place, unknown_key(key, "sweep"));
      } else if (const Problem refusal = refusal_of(key, sound); !refusal.message.empty()) {
        problems_.add(place, prefixed("sweep." + key, refusal));
      } else {
        sound.push_back(key);
      }
    }
    Axis axis{{}, place};
    if (problems_.size() == problems_before) axis.keys = axis_keys(written.values, written.keys, problems_);
    const bool refused = problems_.size() > problems_before || problems_.full();
    std::ranges::move(sound, std::back_inserter(refused ? axes_.refused : sound_));
    if (refused) return;
    // The order of keys within a joint axis is irrelevant.
    std::ranges::sort(axis.keys, {}, &AxisKey::name);
    axes_.list.push_back(std::move(axis));
  }

  void set_tolerated() {
    std::vector<AxisKey> choosing;
    const auto add = [&](const std::vector<AxisKey>& keys) {
      choosing.insert(choosing.end(), keys.begin(), keys.end());
    };
    for (const WrittenAxis& axis : replaced_) {
      ProblemList unsaid;
      const auto unknown = [](const std::string& key) { return find_key(key) == nullptr; };
      if (std::ranges::none_of(axis.keys, unknown)) add(axis_keys(axis.values, axis.keys, unsaid));
    }
    for (const Axis& axis : axes_.list) add(axis.keys);
    for (const AxisKey& chooser : choosing) {
      const ExperimentKey& selector = *find_key(chooser.name);
      if (!selector.selects) continue;
      const std::string table = KeyPath(chooser.name).section();
      for (const ExperimentKey* key : keys_of_table(selector.table)) {
        const std::string& name = key->last_name();
        if (key->owned() && !contains(sound_, dotted(table, name)) && chooses_owner(chooser, *key))
          axes_.reading.tolerated[table].push_back(name);
      }
    }
  }

  ConfigNode& root_;
  ProblemList& problems_;
  std::vector<WrittenAxis> written_ = {};
  std::vector<std::string> sound_ = {};  ///< keys of the axes that have no problem
  /// Axes replaced by overrides: parameters that only their values need are not errors.
  std::vector<WrittenAxis> replaced_ = {};
  Axes axes_ = {};
};

}  // namespace

Axes take_axes(ConfigNode& root, const std::vector<std::string>& overrides, ProblemList& problems) {
  AxisReader reader(root, problems);
  for_overrides(overrides, problems, [&](const Override& change) { reader.put_override(change); });
  return reader.axes();
}

}  // namespace rarefact
