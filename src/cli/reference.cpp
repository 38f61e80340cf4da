#include "cli/reference.hpp"

#include <fmt/format.h>

#include "cli/text_layout.hpp"

namespace rarefact {

namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

const ExperimentTable& table_of(const ExperimentKey& key) {
  for (const ExperimentTable& table : experiment_tables()) {
    if (table.name == key.table) return table;
  }
  throw std::logic_error("key " + key.name() + " is in no table");
}

std::string legal_text(const ExperimentKey& key, const Parameter& parameter) {
  return legal_values(parameter) + (key.other_forms.empty() ? "" : ", " + key.other_forms);
}

Rows use_rows(const ExperimentKey& key, const KeyUse& use) {
  const Parameter& parameter = use.parameter;
  Rows rows = {{"meaning", parameter.meaning},
               {"type", std::string(to_string(parameter.kind))},
               {"default", default_text(parameter)},
               {"legal", legal_text(key, parameter)}};
  if (parameter.unit != "1") rows.emplace_back("unit", parameter.unit);
  if (!use.owners.empty()) rows.emplace_back(table_of(key).rows, joined(use.owners));
  return rows;
}

/// How the key stands in a file and on the command line.
Rows place_rows(const ExperimentKey& key) {
  const ExperimentTable& table = table_of(key);
  const std::string where = table.header.empty() ? table.meaning : "in " + table.header;
  const std::string middle = key.table == "optimizer" ? "optimizer.NAME." + key.last_name() : key.name();
  return {{"where", where}, {"override", fmt::format("rarefact run ... --set {}=VALUE", middle)}};
}

/// The meanings of a key, each with the rows for which it holds; most keys have one.
std::string meanings(const ExperimentKey& key) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_meaning;
  for (const KeyUse& use : key.uses) {
    if (by_meaning.empty() || by_meaning.back().first != use.parameter.meaning) {
      by_meaning.emplace_back(use.parameter.meaning, std::vector<std::string>{});
    }
    auto& owners = by_meaning.back().second;
    owners.insert(owners.end(), use.owners.begin(), use.owners.end());
  }
  std::vector<std::string> parts;
  for (const auto& [meaning, owners] : by_meaning) {
    parts.push_back(owners.empty() ? meaning : fmt::format("{} ({})", meaning, joined(owners)));
  }
  return joined(parts, "; ");
}

Rows overview_rows(const ExperimentTable& table) {
  Rows rows;
  for (const ExperimentKey* key : keys_of_table(table.name)) rows.emplace_back(key->name(), meanings(*key));
  return rows;
}

}  // namespace

std::string default_text(const Parameter& parameter) {
  if (parameter.default_value) return to_toml(*parameter.default_value);
  return parameter.optional ? "none" : "required";
}

std::string explain_key(const ExperimentKey& key) {
  std::string text = key.name() + "\n";
  for (const KeyUse& use : key.uses) {
    // A blank line keeps the meanings for different rows apart.
    if (&use != &key.uses.front()) text += "\n";
    text += two_columns(use_rows(key, use));
  }
  return text + "\n" + two_columns(place_rows(key));
}

std::string key_overview(const ExperimentTable& table) {
  return wrapped((table.header.empty() ? "" : table.header + " ") + table.meaning) + "\n" +
         two_columns(overview_rows(table));
}

std::string key_overview() {
  std::string text;
  for (const ExperimentTable& table : experiment_tables()) text += key_overview(table) + "\n";
  return text + "[sweep]\n  a grid of experiments over any of these keys: rarefact explain sweep\n\n" +
         "rarefact explain KEY says more of one\n";
}

}  // namespace rarefact
