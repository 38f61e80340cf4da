#include "experiment/experiment_file_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rarefact {

namespace {

std::string dotted(const std::string& table, const std::string& key) {
  return table.empty() ? key : table + "." + key;
}

const ExperimentTable& table_row(const std::string& name) {
  const auto& rows = experiment_tables();
  return *std::find_if(rows.begin(), rows.end(),
                       [&](const ExperimentTable& row) { return row.name == name; });
}

/// The keys that the chosen row needs or may have besides those of every row.
std::vector<std::string> names_of(const std::vector<const ExperimentKey*>& keys,
                                  const std::string& selected) {
  std::vector<std::string> names;
  for (const ExperimentKey* key : keys) {
    if (!key->owners().empty() && key->parameter_of(selected) != nullptr) names.push_back(key->last_name());
  }
  return names;
}

/// "power_law takes count and exponent", the hint of two messages.
std::string what_it_takes(const std::vector<const ExperimentKey*>& keys, const std::string& selected) {
  const auto names = names_of(keys, selected);
  return selected + (names.empty() ? " takes no parameters" : " takes " + in_words(names));
}

/// Where an unknown key may belong: in another table, or under another spelling.
std::string where_it_belongs(const std::string& key, const std::vector<const ExperimentKey*>& keys,
                             const std::string& selected, const std::vector<std::string>& other_keys) {
  for (const ExperimentTable& table : experiment_tables()) {
    for (const ExperimentKey* other : keys_of_table(table.name)) {
      if (other->last_name() != key) continue;
      return table.name.empty() ? "; it belongs at the top of the file, before the first table"
                                : fmt::format("; it belongs in {}", table.header);
    }
  }
  std::vector<std::string> fitting = other_keys, all = other_keys;
  for (const ExperimentKey* known : keys) {
    if (known->parameter_of(selected) != nullptr) fitting.push_back(known->last_name());
    all.push_back(known->last_name());
  }
  std::string nearest = nearest_name(key, fitting);
  if (nearest.empty()) nearest = nearest_name(key, all);
  return nearest.empty() ? fmt::format("; the keys here are {}", joined(fitting)) : did_you_mean(nearest);
}

void report_missing(const toml::table& table, const std::string& name,
                    const std::vector<const ExperimentKey*>& keys, const ExperimentKey& key,
                    const Parameter& parameter, const std::string& selected, ProblemList& problems) {
  const std::string needs = key.owners().empty() ? "" : fmt::format("; {}", what_it_takes(keys, selected));
  problems.add(table.source(), fmt::format("{} is missing: {} ({}){}", dotted(name, key.last_name()),
                                           parameter.meaning, legal_values(parameter), needs));
}

/// Every key of the table that is not legal there.
void report_strangers(const toml::table& table, const std::string& kind, const std::string& name,
                      const std::vector<const ExperimentKey*>& keys, const std::string& selected,
                      const std::vector<std::string>& other_keys, ProblemList& problems) {
  const bool selects = std::any_of(keys.begin(), keys.end(), [](const auto* key) { return key->selects; });
  for (auto&& [toml_key, node] : table) {
    const std::string key(toml_key.str());
    if (std::find(other_keys.begin(), other_keys.end(), key) != other_keys.end()) continue;
    const auto known =
        std::find_if(keys.begin(), keys.end(), [&](const auto* row) { return row->last_name() == key; });
    if (known == keys.end()) {
      problems.add(toml_key.source(),
                   fmt::format("unknown key \"{}\"{}{}", key, name.empty() ? "" : " in [" + name + "]",
                               where_it_belongs(key, keys, selected, other_keys)));
    } else if (selects && !selected.empty() && (*known)->parameter_of(selected) == nullptr) {
      problems.add(
          toml_key.source(),
          fmt::format("{} is a parameter of {} {}, not of {}; {}", dotted(name, key), table_row(kind).rows,
                      in_words((*known)->owners()), selected, what_it_takes(keys, selected)));
    }
  }
}

}  // namespace

const toml::table* find_table(const toml::table& parent, const std::string& key, const std::string& name,
                              ProblemList& problems) {
  static const toml::table none;
  const toml::node* node = parent.get(key);
  if (node == nullptr) return &none;
  if (const toml::table* table = node->as_table()) return table;
  const char* brackets = node->is_array_of_tables() ? ", with single brackets" : "";
  problems.add(node->source(),
               fmt::format("{}: got {}; expected a table [{}]{}", name, description(*node), name, brackets));
  return nullptr;
}

TableValues read_table(const toml::table& table, const std::string& kind, const std::string& name,
                       const std::vector<std::string>& other_keys, ProblemList& problems) {
  TableValues read;
  const auto keys = keys_of_table(kind);
  bool selected = true;  // false: the row is unknown, so its parameters cannot be judged
  for (const ExperimentKey* key : keys) {
    const toml::node* node = table.get(key->last_name());
    const bool words = key->uses.front().parameter.kind == Kind::text;
    if (!key->other_forms.empty() && (words || (node != nullptr && node->is_table()))) continue;
    if (!key->owners().empty() && !selected) continue;
    const Parameter* parameter = key->parameter_of(read.selected);
    if (parameter == nullptr) continue;
    std::optional<Value> value;
    if (node != nullptr) {
      value = read_value(*node, dotted(name, key->last_name()), *parameter, problems);
    } else if (parameter->default_value) {
      value = canonical(*parameter->default_value, parameter->kind);
    } else if (!parameter->optional) {
      report_missing(table, name, keys, *key, *parameter, read.selected, problems);
    }
    if (key->selects) {
      selected = value.has_value();
      read.selected = selected ? std::get<std::string>(*value) : "";
    } else if (value) {
      read.values.set(key->last_name(), *value);
    }
  }
  report_strangers(table, kind, name, keys, read.selected, other_keys, problems);
  return read;
}

ParameterValues own_parameters(const TableValues& read, const std::string& kind) {
  ParameterValues own;
  for (const ExperimentKey* key : keys_of_table(kind)) {
    if (!key->owners().empty() && read.values.has(key->last_name())) {
      own.set(key->last_name(), read.values.all().at(key->last_name()));
    }
  }
  return own;
}

}  // namespace rarefact
