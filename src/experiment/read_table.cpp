#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "experiment/read.hpp"
#include "experiment/values.hpp"

namespace rarefact {

namespace {

using Keys = std::vector<const ExperimentKey*>;

const ExperimentTable& table_row(const std::string& name) {
  const auto& rows = experiment_tables();
  return *std::find_if(rows.begin(), rows.end(),
                       [&](const ExperimentTable& row) { return row.name == name; });
}

/// "power_law takes count and exponent", the hint of two messages.
std::string what_it_takes(const Keys& keys, const std::string& row) {
  std::vector<std::string> names;
  for (const ExperimentKey* key : keys) {
    if (key->owned() && key->parameter_of(row) != nullptr) names.push_back(key->last_name());
  }
  return row + (names.empty() ? " takes no parameters" : " takes " + in_words(names));
}

/// Where an unknown key may belong: in another table, or under another spelling.
std::string where_it_belongs(const std::string& key, const Keys& keys, const std::string& row,
                             const std::vector<std::string>& other_keys) {
  for (const ExperimentKey& other : experiment_keys()) {
    if (other.last_name() != key) continue;
    return other.table.empty() ? "; it belongs at the top of the file, before the first table"
                               : fmt::format("; it belongs in {}", table_row(other.table).header);
  }
  std::vector<std::string> fitting = other_keys, all = other_keys;
  for (const ExperimentKey* known : keys) {
    if (known->parameter_of(row) != nullptr) fitting.push_back(known->last_name());
    all.push_back(known->last_name());
  }
  std::string nearest = nearest_name(key, fitting);
  if (nearest.empty()) nearest = nearest_name(key, all);
  return nearest.empty() ? fmt::format("; the keys here are {}", joined(fitting)) : did_you_mean(nearest);
}

/// Every key of the table that is not legal there. `row`: the chosen one; empty if it is unknown.
void report_strangers(const Setting& table, const Part& part, const Keys& keys, const std::string& row,
                      const std::vector<std::string>& other_keys, ProblemList& problems) {
  for (const Setting& entry : std::get<SettingTable>(table.value).entries) {
    const std::string& key = entry.name;
    if (std::find(other_keys.begin(), other_keys.end(), key) != other_keys.end()) continue;
    const auto known =
        std::find_if(keys.begin(), keys.end(), [&](const auto* one) { return one->last_name() == key; });
    if (known == keys.end()) {
      const std::string name = part.optimizer == nullptr ? part.name : part.table;
      problems.add(entry.key,
                   fmt::format("unknown key \"{}\"{}{}", key, name.empty() ? "" : " in [" + name + "]",
                               where_it_belongs(key, keys, row, other_keys)));
    } else if (!row.empty() && (*known)->parameter_of(row) == nullptr) {
      problems.add(entry.key, fmt::format("{} is a parameter of {} {}, not of {}; {}",
                                          part.key_in_messages(key), table_row(part.table).rows,
                                          in_words((*known)->owners()), row, what_it_takes(keys, row)));
    }
  }
}

}  // namespace

const Setting* find_table(const Setting& parent, const std::string& key, const std::string& name,
                          ProblemList& problems) {
  static const Setting none;
  const Setting* setting = parent.get(key);
  if (setting == nullptr) return &none;
  if (setting->as<SettingTable>() != nullptr) return setting;
  const auto* list = setting->as<SettingList>();
  const bool tables = list != nullptr && !list->empty() &&
                      std::all_of(list->begin(), list->end(),
                                  [](const Setting& one) { return one.as<SettingTable>() != nullptr; });
  problems.add(setting->place, fmt::format("{}: got {}; expected a table [{}]{}", name, description(*setting),
                                           name, tables ? ", with single brackets" : ""));
  return nullptr;
}

void read_table(const Setting& table, Part& part, const std::vector<std::string>& other_keys,
                ProblemList& problems) {
  const Keys keys = keys_of_table(part.table);
  std::string row;  // empty while it is unknown, so that its parameters cannot be judged
  for (const ExperimentKey* key : keys) {
    if (key->owned() && row.empty()) continue;
    const Parameter* parameter = key->parameter_of(row);
    if (parameter == nullptr) continue;
    const std::string& name = key->last_name();
    bool legal = parameter->default_value.has_value();
    if (const Setting* setting = table.get(name)) {
      const std::size_t before = problems.all().size();
      if (!key->owned()) {
        key->codec.read(*setting, *key, part, problems);
      } else if (const auto value = read_value(*setting, part.key_in_messages(name), *parameter, problems)) {
        part.parameters->set(name, *value);
      }
      legal = problems.all().size() == before;
    } else if (legal && key->owned()) {
      part.parameters->set(name, canonical(*parameter->default_value, parameter->kind));
    } else if (!legal && !parameter->optional) {
      problems.add(table.place,
                   fmt::format("{} is missing: {} ({}){}", part.key_in_messages(name), parameter->meaning,
                               legal_values(*parameter),
                               key->owned() ? fmt::format("; {}", what_it_takes(keys, row)) : ""));
    }
    if (legal) part.known.push_back(name);
    if (legal && key->selects) row = *part.row;
  }
  report_strangers(table, part, keys, row, other_keys, problems);
}

}  // namespace rarefact
