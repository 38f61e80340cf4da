// The tables of a file: finding and reading them.

#include <set>

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
void report_unknown_keys(const ConfigNode& table, const Section& section, const Keys& keys,
                         const std::string& row, const std::vector<std::string>& other_keys,
                         ProblemList& problems) {
  for (const ConfigNode& entry : std::get<ConfigTable>(table.value).entries) {
    const std::string& key = entry.name;
    if (problems.full()) return;
    const auto known = std::ranges::find_if(keys, [&](const ExperimentKey* candidate) {
      return candidate->last_name() == key || candidate->has(key);
    });
    if (contains(other_keys, known == keys.end() ? key : (*known)->last_name()) && !entry.place.on_axis)
      continue;
    if (known == keys.end()) {
      const std::string name = section.optimizer == nullptr ? section.name : section.table;
      problems.add(entry.key, "unknown key \"{}\"{}{}", key, name.empty() ? "" : " in [" + name + "]",
                   where_it_belongs(key, keys, row, other_keys));
    } else if (!row.empty() && (*known)->parameter_of(row) == nullptr) {
      problems.add(entry.key, "{} is a parameter of {} {}, not of {}; {}", section.key_in_messages(key),
                   find_row(experiment_tables(), section.table)->rows, in_words((*known)->owners()), row,
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

void read_family(const ConfigNode& table, Section& section, const ExperimentKey& key,
                 const Parameter& parameter, ProblemList& problems) {
  const std::string shown = section.key_in_messages(parameter.shown());
  if (const ConfigNode* setting = table.get(parameter.name)) {
    problems.add(setting->place, "{}: got {}; expected {} = {}", section.key_in_messages(parameter.name),
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
      problems.add(entry.key, "{}: it is there twice, once in quotes", section.key_in_messages(entry.name));
    } else if (const auto value =
                   read_value(entry, section.key_in_messages(entry.name), parameter, problems)) {
      section.parameters->set(entry.name, *value);
      section.known.push_back(entry.name);
    }
  }
}

}  // namespace

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

void read_table(const ConfigNode& table, Section& section, const std::vector<std::string>& other_keys,
                ProblemList& problems) {
  const Keys& keys = keys_of_table(section.table);
  std::string row;  // empty while unknown; its parameters then cannot be checked
  for (const ExperimentKey* key : keys) {
    if (key->owned() && row.empty()) continue;
    const Parameter* parameter = key->parameter_of(row);
    if (parameter == nullptr) continue;
    const std::string& name = key->last_name();
    if (parameter->family) {
      read_family(table, section, *key, *parameter, problems);
      continue;
    }
    bool legal = parameter->default_value.has_value();
    if (const ConfigNode* setting = table.get(name)) {
      const std::size_t before = problems.size();
      if (!key->owned()) {
        key->codec.read(*setting, *key, section, problems);
      } else if (const auto value =
                     read_value(*setting, section.key_in_messages(name), *parameter, problems)) {
        section.parameters->set(name, *value);
      }
      legal = problems.size() == before;
    } else if (legal && key->owned()) {
      section.parameters->set(name, canonical(*parameter->default_value, parameter->kind));
    } else if (!legal && !parameter->optional && !is_misspelt(name, table, keys, other_keys)) {
      // Its first clause only; rarefact explain KEY prints all.
      const std::string& meaning = parameter->meaning;
      Problem missing = problem_of("{} is missing: {} ({}){}", section.key_in_messages(name),
                                   meaning.substr(0, std::min({meaning.find(": "), meaning.find("; ")})),
                                   legal_values(*parameter),
                                   key->owned() ? fmt::format("; {}", what_it_takes(keys, row)) : "");
      missing.key = section.key_in_messages(name), missing.missing = true;
      problems.add(table.place, std::move(missing));
    }
    if (legal) section.known.push_back(name);
    if (legal && key->selects) row = *section.row;
  }
  report_unknown_keys(table, section, keys, row, other_keys, problems);
}

}  // namespace rarefact
