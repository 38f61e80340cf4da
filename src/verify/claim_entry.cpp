#include "verify/claim_entry.hpp"

#include "core/transform.hpp"
#include "experiment/keys.hpp"

namespace rarefact::claims {

namespace {

std::string as_text(const ConfigNode& setting) {
  const auto* text = setting.as<std::string>();
  return text != nullptr ? *text : to_toml(setting);
}

/// The named entries of a table in the order of the file; otherwise the items of a list, or a single value.
ConfigList items(const ConfigNode* setting) {
  if (setting == nullptr) return {};
  if (const auto* list = setting->as<ConfigList>()) return *list;
  const auto* table = setting->as<ConfigTable>();
  if (table == nullptr) return {{.value = setting->value}};
  return in_file_order(table->entries);
}

/// The entries of a table and of its tables that are not in braces, each by its dotted name.
ConfigList leaves(const ConfigNode* setting, const std::string& path = {}) {
  ConfigList all;
  for (ConfigNode node : items(setting)) {
    node.name = dotted(path, node.name);
    const auto* table = node.as<ConfigTable>();
    if (table == nullptr || table->in_braces)
      all.push_back(std::move(node));
    else
      std::ranges::move(leaves(&node, node.name), std::back_inserter(all));
  }
  return all;
}

std::string override_text(const ConfigNode& node) {
  return node.name + "=" + to_toml(node);
}

}  // namespace

std::string Entry::text(const std::string& key) const {
  return has(key) ? as_text(*table_.get(key)) : "";
}

std::vector<std::string> Entry::texts(const std::string& key) const {
  return mapped(items(table_.get(key)), as_text);
}

LabelledTexts Entry::labelled(const std::string& key) const {
  return mapped(items(table_.get(key)), [](const ConfigNode& node) {
    return std::pair(node.name.empty() ? as_text(node) : node.name, as_text(node));
  });
}

std::map<std::string, std::vector<std::string>> Entry::choices(const std::string& key) const {
  std::map<std::string, std::vector<std::string>> all;
  for (const ConfigNode& node : items(table_.get(key))) all[node.name] = mapped(items(&node), as_text);
  return all;
}

bool Entry::is_text(const std::string& key) const {
  return has(key) && table_.get(key)->as<std::string>() != nullptr;
}

Entry Entry::with(const std::string& key, const std::string& text) const {
  Entry other = *this;
  other.table_.get(key)->value = text;
  return other;
}

std::vector<std::string> Entry::overrides(const std::string& key) const {
  return mapped(leaves(table_.get(key)), override_text);
}

void Entry::at_overrides(const std::string& key, const std::function<void()>& f) const {
  try {
    f();
  } catch (const InputError& error) {
    ProblemList problems(file_);
    const ConfigList nodes = leaves(table_.get(key));
    for (Problem problem : error.problems()) {
      const auto node = std::ranges::find(
          nodes, problem.file, [](const ConfigNode& other) { return "--set " + override_text(other); });
      if (node == nodes.end()) throw;
      problems.add(node->key, std::move(problem));
    }
    problems.throw_if_any();
  }
}

std::vector<Entry> Entry::tables(const std::string& key) const {
  const ConfigNode* found = table_.get(key);
  const bool one = found != nullptr && found->as<ConfigTable>() != nullptr;
  return mapped(one ? ConfigList{*found} : items(found), [&](const ConfigNode& node) {
    if (node.as<ConfigTable>() == nullptr) refuse(key, fmt::format("expected tables [[claim.{}]]", key));
    return Entry(node, file_);
  });
}

void Entry::refuse(const std::string& key, const std::string& message) const {
  rethrow(key, InputError(message));
}

void Entry::rethrow(const std::string& key, const InputError& error) const {
  Problem problem = error.problems().front();
  if (!problem.file.empty()) throw error;
  const ConfigNode* found = table_.get(key);
  problem = prefixed("claim, " + key, std::move(problem));
  const auto* inside = dynamic_cast<const SyntaxError*>(&error);
  const auto* text = found == nullptr ? nullptr : found->as<std::string>();
  ProblemList problems(file_);
  // If {x} was replaced, positions in the text are not positions in the file.
  if (inside != nullptr && text != nullptr && text->find('{') == std::string::npos)
    problems.add_within(found->place, *text, inside->offset, std::move(problem));
  else
    problems.add(found == nullptr ? table_.place : found->place, std::move(problem));
  problems.throw_if_any();
  throw error;
}

void Entry::check_keys(const std::vector<std::string>& known, const std::string& table) const {
  ProblemList problems(file_);
  for (const ConfigNode& node : items(&table_)) {
    if (!contains(known, node.name))
      problems.add(node.key, "unknown key \"{}\" in {}{}", node.name, table,
                   did_you_mean(nearest_name(node.name, known)));
  }
  problems.throw_if_any();
}

std::optional<Entry> claim_table(const std::string& text, const std::string& file) {
  const ConfigNode root = parse_toml(text, file);
  const ConfigNode* table = root.get("claim");
  if (table == nullptr || table->as<ConfigTable>() == nullptr) return {};
  return Entry(*table, file);
}

}  // namespace rarefact::claims
