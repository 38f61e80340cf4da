#include "verify/claim_entry.hpp"

#include <fmt/format.h>

#include <algorithm>

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
  ConfigList entries = table->entries;
  std::ranges::stable_sort(entries, {},
                           [](const ConfigNode& node) { return std::pair(node.key.line, node.key.column); });
  return entries;
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

std::vector<std::string> Entry::overrides(const std::string& key) const {
  return mapped(items(table_.get(key)),
                [](const ConfigNode& node) { return node.name + "=" + to_toml(node); });
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
