// Finding and changing settings of a file by their keys.

#include "core/transform.hpp"
#include "experiment/read.hpp"

namespace rarefact {

Override::Override(const std::string& text) : typed(text) {
  const std::size_t equals = std::min(typed.find('='), typed.size());
  key = trimmed(std::string_view(typed).substr(0, equals));
  if (equals < typed.size()) value = trimmed(std::string_view(typed).substr(equals + 1));
  if (key.empty() || value.empty()) throw InputError("expected key=value, such as run.steps=500");
}

Problem objection_to(const ConfigNode& root, const std::string& key) {
  const KeyPath path(key);
  const auto labels = mapped(optimizer_nodes(const_cast<ConfigNode&>(root)),
                             [](const ConfigNode* node) { return label_of(*node); });
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
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i)
    if ((*list)[i].as<ConfigTable>() != nullptr) nodes.push_back(&(*list)[i]);
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

}  // namespace rarefact
