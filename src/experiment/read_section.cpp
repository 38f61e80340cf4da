// The tables of a file: finding, changing and reading them.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/read.hpp"

namespace rarefact {

namespace {

using Keys = std::vector<const ExperimentKey*>;

/// "power_law takes count and exponent", a hint used in two messages.
std::string what_it_takes(const Keys& keys, const std::string& row) {
  std::vector<std::string> names;
  for (const ExperimentKey* key : keys) {
    const Parameter* parameter = key->owned() ? key->parameter_of(row) : nullptr;
    if (parameter != nullptr) names.push_back(parameter->shown());
  }
  return row + (names.empty() ? " takes no parameters" : " takes " + in_words(names));
}

/// A hint for an unknown key: another table, or another spelling.
Hint where_it_belongs(const std::string& key, const Keys& keys, const std::string& row,
                      const std::vector<std::string>& other_keys) {
  if (key == "weight_decay")
    return {"; decay is a term of a formula, direction = \"D + 0.1*W\", as in experiments/rules/adamw.toml"};
  const std::string usual = usual_word(key);
  const bool here = std::ranges::any_of(keys, [&](const auto* known) { return known->last_name() == usual; });
  for (const ExperimentKey& other : experiment_keys()) {
    if (here || other.last_name() != usual) continue;
    const std::string what = usual == key ? "it" : fmt::format("\"{}\"", usual);
    return {
        other.table.empty()
            ? fmt::format("; {} belongs at the top of the file, before the first table", what)
            : fmt::format("; {} belongs in {}", what, find_row(experiment_tables(), other.table)->header)};
  }
  std::vector<std::string> fitting = other_keys, all = other_keys;
  for (const ExperimentKey* known : keys) {
    if (known->parameter_of(row) != nullptr) fitting.push_back(known->last_name());
    all.push_back(known->last_name());
  }
  std::string nearest = contains(all, usual) ? usual : nearest_name(key, fitting);
  if (nearest.empty()) nearest = nearest_name(key, all);
  return nearest.empty() ? Hint{fmt::format("; the keys here are {}", joined(fitting))}
                         : did_you_mean(nearest);
}

/// Reports every key that is not legal in the table. `row`: the chosen row; empty if unknown.
void report_unknown_keys(const ConfigNode& table, const Part& part, const Keys& keys, const std::string& row,
                         const std::vector<std::string>& other_keys, ProblemList& problems) {
  for (const ConfigNode& entry : std::get<ConfigTable>(table.value).entries) {
    const std::string& key = entry.name;
    if (problems.full()) return;
    const auto known = std::ranges::find_if(keys, [&](const ExperimentKey* candidate) {
      return candidate->last_name() == key || candidate->has(key);
    });
    if (contains(other_keys, known == keys.end() ? key : (*known)->last_name()) && !entry.place.on_axis)
      continue;
    if (known == keys.end()) {
      const std::string name = part.optimizer == nullptr ? part.name : part.table;
      problems.add(entry.key, "unknown key \"{}\"{}{}", key, name.empty() ? "" : " in [" + name + "]",
                   where_it_belongs(key, keys, row, other_keys));
    } else if (!row.empty() && (*known)->parameter_of(row) == nullptr) {
      problems.add(entry.key, "{} is a parameter of {} {}, not of {}; {}", part.key_in_messages(key),
                   find_row(experiment_tables(), part.table)->rows, in_words((*known)->owners()), row,
                   what_it_takes(keys, row));
    }
  }
}

/// True if an unknown key of the table is a foreign name or a misspelling of this one, as its report says.
bool is_misspelt(const std::string& name, const ConfigNode& table, const Keys& keys,
                 const std::vector<std::string>& other_keys) {
  return std::ranges::any_of(std::get<ConfigTable>(table.value).entries, [&](const ConfigNode& entry) {
    const auto has = [&](const ExperimentKey* key) { return key->has(entry.name); };
    return std::ranges::none_of(keys, has) && !contains(other_keys, entry.name) &&
           (usual_word(entry.name) == name || !nearest_name(entry.name, {name}).empty());
  });
}

/// True if a name has only letters, digits and _, and does not start with a digit.
bool legal_name(std::string_view name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto allowed = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !name.empty() && letter(name.front()) && std::ranges::all_of(name, allowed);
}

/// The values of a family of keys.
void read_family(const ConfigNode& table, Part& part, const ExperimentKey& key, const Parameter& parameter,
                 ProblemList& problems) {
  const std::string shown = part.key_in_messages(parameter.shown());
  if (const ConfigNode* setting = table.get(parameter.name)) {
    problems.add(setting->place, "{}: got {}; expected {} = {}", part.key_in_messages(parameter.name),
                 description(*setting), parameter.shown(), legal_values(parameter));
  }
  std::set<std::string_view> names;
  for (const ConfigNode& entry : table.as<ConfigTable>()->entries) {
    if (!key.has(entry.name)) continue;
    const std::string name = entry.name.substr(parameter.name.size() + 1);
    if (!legal_name(name)) {
      problems.add(entry.key, "{}: got the name {}; expected letters, digits and _, no digit first", shown,
                   to_toml(Value(name)));
    } else if (!names.insert(entry.name).second) {
      problems.add(entry.key, "{}: it is there twice, once in quotes", part.key_in_messages(entry.name));
    } else if (const auto value = read_value(entry, part.key_in_messages(entry.name), parameter, problems)) {
      part.parameters->set(entry.name, *value);
      part.known.push_back(entry.name);
    }
  }
}

}  // namespace

Override::Override(const std::string& text) : typed(text) {
  const std::size_t equals = std::min(typed.find('='), typed.size());
  key = trimmed(std::string_view(typed).substr(0, equals));
  if (equals < typed.size()) value = trimmed(std::string_view(typed).substr(equals + 1));
  if (key.empty() || value.empty()) throw InputError("expected key=value, such as run.steps=500");
}

Problem objection_to(const ConfigNode& root, const std::string& key) {
  const KeyPath path(key);
  const std::vector<std::string> labels = optimizer_labels(root);
  if (find_key(key) == nullptr) {
    if (key == "sweep" || find_row(experiment_tables(), key) != nullptr)
      return problem_of("{0} is a table; set one of its keys, as {0}.{1}=VALUE", key,
                        key == "sweep"       ? "seed"
                        : key == "optimizer" ? "NAME.rule"
                                             : keys_of_table(key).front()->last_name());
    return unknown_key(key);
  }
  if (path.table != "optimizer" || contains(labels, path.part)) return {};
  if (path.part.empty())
    return problem_of("say which optimizer: optimizer.NAME.{} with its name (or rule)", path.name);
  return problem_of("no optimizer is named \"{}\"; there are: {}{}", path.part,
                    labels.empty() ? "none" : joined(labels), did_you_mean(nearest_name(path.part, labels)));
}

void apply_override(ConfigNode& root, const Override& change) {
  Problem objection = objection_to(root, change.key);
  if (!objection.message.empty()) throw InputError({std::move(objection)});
  ConfigNode value = change.setting();
  value.key = value.place;
  keep_label(root, change.key);
  put_setting(root, change.key, std::move(value));
}

void for_overrides(const std::vector<std::string>& overrides, ProblemList& problems,
                   const std::function<void(const Override&)>& apply) {
  std::vector<std::string> ordered = overrides;
  std::ranges::stable_partition(ordered, [](const std::string& typed) {
    const KeyPath path(trimmed(typed.substr(0, typed.find('='))));
    return path.table != "optimizer" || path.name != "name";
  });
  for (const std::string& typed : ordered) {
    try {
      apply(Override(typed));
    } catch (const InputError& error) {
      problems.add({.override_text = typed}, error.problems().front());
    }
  }
}

std::vector<ConfigNode*> optimizer_nodes(ConfigNode& root) {
  ConfigNode* optimizers = root.get("optimizer");
  auto* list = optimizers == nullptr ? nullptr : std::get_if<ConfigList>(&optimizers->value);
  std::vector<ConfigNode*> nodes;
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
    if ((*list)[i].as<ConfigTable>() != nullptr) nodes.push_back(&(*list)[i]);
  }
  return nodes;
}

void flatten_families(ConfigNode& root) {
  for (ConfigNode* node : optimizer_nodes(root)) {
    auto& table = std::get<ConfigTable>(node->value);
    std::vector<ConfigNode> entries;
    for (ConfigNode& entry : table.entries) {
      auto* family = contains(families(), entry.name) ? std::get_if<ConfigTable>(&entry.value) : nullptr;
      if (family == nullptr) {
        entries.push_back(std::move(entry));
        continue;
      }
      for (ConfigNode& inner : family->entries) {
        inner.name = dotted(entry.name, inner.name);
        entries.push_back(std::move(inner));
      }
    }
    table.entries = std::move(entries);
  }
}

std::string label_of(const ConfigNode& optimizer) {
  for (const char* key : {"name", "rule"}) {
    const ConfigNode* setting = optimizer.get(key);
    if (setting != nullptr && setting->as<std::string>() != nullptr) return *setting->as<std::string>();
  }
  return "";
}

std::vector<std::string> optimizer_labels(const ConfigNode& root) {
  return mapped(optimizer_nodes(const_cast<ConfigNode&>(root)),
                [](const ConfigNode* node) { return label_of(*node); });
}

ConfigNode* table_of_key(ConfigNode& root, const std::string& key) {
  const KeyPath path(key);
  if (path.table == "optimizer") {
    for (ConfigNode* node : optimizer_nodes(root))
      if (label_of(*node) == path.part) return node;
    return nullptr;
  }
  ConfigNode* table = &root;
  for (const std::string& name : {path.table, path.part}) {
    if (name.empty()) continue;
    if (table->get(name) == nullptr) table->put({.name = name});
    table = table->get(name);
    if (table->as<ConfigTable>() == nullptr) return nullptr;
  }
  return table;
}

const ConfigNode* setting_of_key(ConfigNode& root, const std::string& key) {
  const ConfigNode* table = table_of_key(root, key);
  return table == nullptr ? nullptr : table->get(KeyPath(key).name);
}

void keep_label(ConfigNode& root, const std::string& key) {
  ConfigNode* table = KeyPath(key).table == "optimizer" ? table_of_key(root, key) : nullptr;
  if (table != nullptr && table->get("name") == nullptr)
    table->put({.value = label_of(*table), .name = "name", .place = table->place});
}

void put_setting(ConfigNode& root, const std::string& key, ConfigNode value) {
  ConfigNode* table = table_of_key(root, key);
  if (table == nullptr) return;
  if (table->as<ConfigTable>()->entries.empty()) {  // it was made for this key
    table->place = value.place;
    table->place.on_axis = false;
  }
  value.name = KeyPath(key).name;
  table->put(std::move(value));
}

const ConfigNode* find_table(const ConfigNode& parent, const std::string& key, const std::string& name,
                             ProblemList& problems) {
  static const ConfigNode none;
  const ConfigNode* setting = parent.get(key);
  if (setting == nullptr) return &none;
  if (setting->as<ConfigTable>() != nullptr) return setting;
  const auto* list = setting->as<ConfigList>();
  const bool tables = list != nullptr && !list->empty() &&
                      std::all_of(list->begin(), list->end(),
                                  [](const ConfigNode& node) { return node.as<ConfigTable>() != nullptr; });
  problems.add(setting->place, "{}: got {}; expected a table [{}]{}", name, description(*setting), name,
               tables ? ", with single brackets" : "");
  return nullptr;
}

void read_table(const ConfigNode& table, Part& part, const std::vector<std::string>& other_keys,
                ProblemList& problems) {
  const Keys keys = keys_of_table(part.table);
  std::string row;  // empty while unknown; its parameters then cannot be checked
  for (const ExperimentKey* key : keys) {
    if (key->owned() && row.empty()) continue;
    const Parameter* parameter = key->parameter_of(row);
    if (parameter == nullptr) continue;
    const std::string& name = key->last_name();
    if (parameter->family) {
      read_family(table, part, *key, *parameter, problems);
      continue;
    }
    bool legal = parameter->default_value.has_value();
    if (const ConfigNode* setting = table.get(name)) {
      const std::size_t before = problems.size();
      if (!key->owned()) {
        key->codec.read(*setting, *key, part, problems);
      } else if (const auto value = read_value(*setting, part.key_in_messages(name), *parameter, problems)) {
        part.parameters->set(name, *value);
      }
      legal = problems.size() == before;
    } else if (legal && key->owned()) {
      part.parameters->set(name, canonical(*parameter->default_value, parameter->kind));
    } else if (!legal && !parameter->optional && !is_misspelt(name, table, keys, other_keys)) {
      // Its first clause only; rarefact explain KEY prints all.
      const std::string& meaning = parameter->meaning;
      Problem missing = problem_of("{} is missing: {} ({}){}", part.key_in_messages(name),
                                   meaning.substr(0, std::min({meaning.find(": "), meaning.find("; ")})),
                                   legal_values(*parameter),
                                   key->owned() ? fmt::format("; {}", what_it_takes(keys, row)) : "");
      missing.key = part.key_in_messages(name), missing.missing = true;
      problems.add(table.place, std::move(missing));
    }
    if (legal) part.known.push_back(name);
    if (legal && key->selects) row = *part.row;
  }
  report_unknown_keys(table, part, keys, row, other_keys, problems);
}

}  // namespace rarefact
