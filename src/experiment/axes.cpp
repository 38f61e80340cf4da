#include "experiment/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "core/text.hpp"
#include "experiment/keys.hpp"
#include "experiment/overrides.hpp"
#include "experiment/read.hpp"

namespace rarefact {

namespace {

constexpr std::string_view sweep_prefix = "sweep.";

/// Axes as written, under their names; their values are not looked at yet. Dotted keys may be in quotes,
/// plain, or headers of tables, so tables are walked down to the values.
void gather(const Setting& table, const std::string& path, const std::vector<std::string>& labels,
            std::vector<Setting>& axes) {
  for (const Setting& entry : table.as<SettingTable>()->entries) {
    const std::string name = dotted(path, entry.name);
    const auto* inner = entry.as<SettingTable>();
    // "optimizer.momentum" is a key, and a table where an optimizer has that label.
    const bool label = path == "optimizer" && !generates_values(entry);
    const bool known = find_key(keys_of_axis(name, labels).back()) != nullptr;
    if (inner == nullptr || (known && !label) || (inner->in_braces && generates_values(entry))) {
      axes.push_back(entry);
      axes.back().name = name;
    } else {
      gather(entry, name, labels, axes);
    }
  }
}

/// Why a key cannot be an axis beside the keys of others; empty where it can.
std::string objection_to(const std::string& key, const Setting& root,
                         const std::vector<std::string>& others) {
  const ExperimentKey* row = find_key(key);
  if (row == nullptr) {
    return fmt::format("unknown key \"{}\" in [sweep]{}", key,
                       did_you_mean(joined(nearest_keys(key), "\" or \"")));
  }
  if (row->name() == "name") return "sweep.name: the name of the experiment cannot be swept";
  if (row->table == "optimizer") {
    const std::string path = path_part(key);
    if (path == "optimizer") {
      return fmt::format("sweep.{}: say which optimizer: optimizer.NAME.{} with its name (or rule)", key,
                         row->last_name());
    }
    if (row->last_name() == "name")
      return fmt::format("sweep.{}: the label of an optimizer cannot be swept", key);
    const std::string label = path.substr(path.find('.') + 1);
    const auto labels = optimizer_labels(root);
    if (std::find(labels.begin(), labels.end(), label) == labels.end())
      return fmt::format("sweep.{}: {}", key, no_such_optimizer(root, label));
  }
  // Result files must be able to tell it from the others.
  for (const std::string& other : others) {
    if (other == key) return fmt::format("sweep.{}: there are two axes of this key", key);
    if (parameter_variable(other) == parameter_variable(key)) {
      return fmt::format(
          "sweep.{}: its variable in the result would be {}, like that of {}; give the optimizer another name",
          key, parameter_variable(key), other);
    }
  }
  return {};
}

/// Gathers the axes of a file and of the command line.
class AxisReader {
 public:
  AxisReader(Setting& root, ProblemList& problems) : root_(root), problems_(problems) {
    const Setting* sweep = find_table(root, "sweep", "sweep", problems);
    if (sweep != nullptr) gather(*sweep, "", optimizer_labels(root), written_);
    // The TOML library sorts keys by name; the plan's order is that of the file.
    std::stable_sort(written_.begin(), written_.end(), [](const Setting& a, const Setting& b) {
      return std::tuple(a.key.line, a.key.column) < std::tuple(b.key.line, b.key.column);
    });
  }

  void put_over(const std::string& override_text) {
    ProblemList unsaid;  // apply_override says it
    const auto parts = override_parts(override_text, unsaid);
    if (parts && parts->key.starts_with(sweep_prefix)) {
      set_axis(*parts, override_text);
    } else if (!parts || replace_axis(parts->key, override_text)) {
      apply_override(root_, override_text, problems_);
    }
  }

  Axes axes() {
    for (const Setting& one : written_) read(one);
    auto& entries = std::get<SettingTable>(root_.value).entries;
    std::erase_if(entries, [](const Setting& entry) { return entry.name == "sweep"; });
    return std::move(axes_);
  }

 private:
  std::vector<std::string> keys_of(const std::string& name) const {
    return keys_of_axis(name, optimizer_labels(root_));
  }

  /// The values of an axis that gives way to what --set says. An axis that is not used may be wrong.
  void remember_replaced(const Setting& axis) {
    ProblemList unsaid;
    const auto keys = keys_of(axis.name);
    if (std::any_of(keys.begin(), keys.end(), [](const auto& key) { return find_key(key) == nullptr; }))
      return;
    for (AxisKey& key : axis_keys(axis, keys, unsaid)) axes_.replaced.push_back(std::move(key));
  }

  void set_axis(const OverrideParts& parts, const std::string& override_text) {
    auto axis = override_value(parts, override_text, problems_);
    if (!axis) return;
    axis->name = parts.key.substr(sweep_prefix.size());
    axis->key = axis->place;
    const auto keys = [&](const Setting& one) {
      const std::vector<std::string> names = keys_of(one.name);
      return std::set(names.begin(), names.end());
    };
    const auto same = std::find_if(written_.begin(), written_.end(),
                                   [&](const Setting& other) { return keys(other) == keys(*axis); });
    if (same == written_.end()) {
      written_.push_back(std::move(*axis));
    } else {
      remember_replaced(*same);
      *same = std::move(*axis);
    }
  }

  /// Drops the axis of a key that an override replaces by one value. False, and a problem, where no value can
  /// be put there: the key moves with others on its axis, or it is several.
  bool replace_axis(const std::string& key, const std::string& override_text) {
    const auto refuse = [&](const std::string& message) {
      problems_.add({.override_text = override_text}, message);
      return false;
    };
    if (const auto keys = keys_of(key); keys.size() > 1) {
      return refuse(fmt::format(
          "one value belongs to one key; 'sweep.{}=[[...], ...]' sets an axis of several", joined(keys)));
    }
    std::vector<std::string> on_axis;
    const auto axis = std::find_if(written_.begin(), written_.end(), [&](const Setting& one) {
      on_axis = keys_of(one.name);
      return std::find(on_axis.begin(), on_axis.end(), key) != on_axis.end();
    });
    if (axis == written_.end()) return true;
    if (const std::string name = joined(on_axis); on_axis.size() > 1) {
      return refuse(
          fmt::format("{} moves with other keys on the axis \"{}\"; set all of it: 'sweep.{}=[[...], ...]'",
                      key, name, name));
    }
    remember_replaced(*axis);
    written_.erase(axis);
    return true;
  }

  /// The keys of an axis that may stand on it, a problem for each of the others.
  std::vector<std::string> sound_keys(const std::vector<std::string>& keys, const Place& where) {
    std::vector<std::string> others, sound;
    for (const Axis& axis : axes_.list) {
      for (const AxisKey& key : axis.keys) others.push_back(key.name);
    }
    for (const std::string& key : keys) {
      std::string objection;
      if (key.empty() && keys.size() > 1) {
        objection = fmt::format("sweep.{}: a key is missing beside a comma", joined(keys));
      } else if (std::find(sound.begin(), sound.end(), key) != sound.end()) {
        objection = fmt::format("sweep.{}: the axis has the key {} twice", joined(keys), key);
      } else {
        objection = objection_to(key, root_, others);
      }
      if (objection.empty()) {
        sound.push_back(key);
        others.push_back(key);
      } else {
        problems_.add(where, objection);
      }
    }
    return sound;
  }

  void read(const Setting& written) {
    const std::size_t before = problems_.all().size();
    const std::vector<std::string> keys = keys_of(written.name);
    const std::vector<std::string> sound = sound_keys(keys, written.key);
    Axis axis{{}, written.key};
    if (sound.size() == keys.size()) axis.keys = axis_keys(written, keys, problems_);
    if (problems_.all().size() > before) {
      axes_.refused.insert(axes_.refused.end(), sound.begin(), sound.end());
      return;
    }
    // In whatever order a file names them, it means the same.
    std::sort(axis.keys.begin(), axis.keys.end(),
              [](const AxisKey& a, const AxisKey& b) { return a.name < b.name; });
    axes_.list.push_back(std::move(axis));
  }

  Setting& root_;
  ProblemList& problems_;
  std::vector<Setting> written_ = {};
  Axes axes_ = {};
};

}  // namespace

Axes take_axes(Setting& root, const std::vector<std::string>& overrides, ProblemList& problems) {
  AxisReader reader(root, problems);
  for (const std::string& text : overrides) reader.put_over(text);
  return reader.axes();
}

}  // namespace rarefact
