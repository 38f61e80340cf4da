#include <ostream>

#include "cli/command.hpp"
#include "cli/listings.hpp"
#include "experiment/formula_files.hpp"
#include "experiment/keys.hpp"

namespace rarefact {

Json experiment_schema();  // in schema.cpp

namespace {

const ExperimentTable& table_of(const ExperimentKey& key) {
  return row_named(experiment_tables(), key.table, "table");
}

TextRows use_rows(const ExperimentKey& key, const KeyUse& use) {
  const Parameter& parameter = use.parameter;
  const bool only_forms =
      parameter.kind == Kind::text && parameter.choices.empty() && !key.other_forms.empty();
  TextRows rows = {{"meaning", parameter.meaning},
                   {"default", default_text(parameter)},
                   {"legal", only_forms                ? key.other_forms
                             : key.other_forms.empty() ? legal_values(parameter)
                                                       : legal_values(parameter) + ", " + key.other_forms}};
  // Keys with other forms are of several types, which the legal values name.
  if (key.other_forms.empty()) rows.emplace(rows.begin() + 1, "type", std::string(to_string(parameter.kind)));
  if (parameter.unit != "1") rows.emplace_back("unit", parameter.unit);
  if (!use.owners.empty()) rows.emplace_back(table_of(key).rows, joined(use.owners));
  return rows;
}

/// Everything about a key, and how to write it in a file and on the command line.
std::string explained(const ExperimentKey& key) {
  std::string text = key.shown() + "\n";
  for (const KeyUse& use : key.uses) {
    // A blank line separates the meanings for different rows.
    if (&use != &key.uses.front()) text += "\n";
    text += two_columns(use_rows(key, use));
  }
  const ExperimentTable& table = table_of(key);
  const std::string typed = key.family() ? "optimizer.LABEL." + key.uses.front().parameter.shown()
                            : key.table == "optimizer" ? "optimizer.NAME." + key.last_name()
                                                       : key.name();
  return text + "\n" +
         two_columns({{"where", table.header.empty() ? table.meaning : "in " + table.header},
                      {"override", fmt::format("rarefact run ... --set {}=VALUE", typed)}});
}

/// The meanings of a key, with the rows for which each holds.
std::string meanings(const ExperimentKey& key) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_meaning;
  for (const KeyUse& use : key.uses) {
    if (by_meaning.empty() || by_meaning.back().first != use.parameter.meaning)
      by_meaning.emplace_back(use.parameter.meaning, std::vector<std::string>{});
    auto& owners = by_meaning.back().second;
    owners.insert(owners.end(), use.owners.begin(), use.owners.end());
  }
  const auto text = [](const auto& of) {
    return of.second.empty() ? of.first : fmt::format("{} ({})", of.first, joined(of.second));
  };
  return joined(mapped(by_meaning, text), "; ");
}

std::string overview(const ExperimentTable& table) {
  TextRows rows;
  for (const ExperimentKey* key : keys_of_table(table.name)) rows.emplace_back(key->shown(), meanings(*key));
  return wrapped((table.header.empty() ? "" : table.header + " ") + table.meaning) + "\n" + two_columns(rows);
}

std::string overview() {
  std::string text;
  for (const ExperimentTable& table : experiment_tables()) text += overview(table) + "\n";
  return text + "[sweep]\n  a grid of experiments over any of these keys: rarefact explain sweep\n\n" +
         "rarefact explain KEY explains a key\n";
}

/// The key for a typed word: its name, its last part if unique, or its name in other programs; else null.
const ExperimentKey* meant_key(const std::string& typed) {
  const std::string usual = usual_word(typed);
  if (const ExperimentKey* key = find_key(usual)) return key;
  const auto nearest = nearest_keys(typed);
  const auto* key = nearest.size() == 1 ? find_key(nearest[0]) : nullptr;
  return key != nullptr && (key->last_name() == usual || key->has(usual)) ? key : nullptr;
}

/// Everything with a typed name; a key and rows can share it: momentum is also a rule.
struct Meant {
  const ExperimentKey* key = nullptr;
  std::vector<ListedRow> rows;
};

/// Finds everything with a name. Throws InputError with the nearest name if there is nothing.
Meant meant(const std::string& typed) {
  Meant found = {meant_key(typed), listed_rows()};
  const std::vector<std::string> names = names_of(found.rows);
  std::erase_if(found.rows, [&](const ListedRow& row) { return !row.has(typed); });
  if (found.key != nullptr || !found.rows.empty()) return found;
  // The choices of a key, and other spellings such as "batch size".
  for (const ExperimentKey& key : experiment_keys())
    if (contains(key.uses.front().parameter.choices, typed)) return {&key, {}};
  std::string other = typed;
  for (char& c : other) c = c == ' ' ? '_' : c == '_' ? ' ' : c;
  if (other != typed && (meant_key(other) != nullptr || contains(names, other))) return meant(other);
  std::string nearest = joined(nearest_keys(typed), " or ");
  if (nearest.empty()) nearest = nearest_name(typed, names);
  if (contains(split_text(formula_files, ' '), std::string_view(typed)))
    nearest = fmt::format("experiments/rules/{}.toml", typed);
  if (typed.ends_with(".toml"))
    throw bad_input("nothing is called \"{0}\"; for the rules of a file: rarefact run {0} --dry-run", typed);
  throw bad_input(
      "nothing is called \"{}\"{} (rarefact explain lists all keys, rarefact list everything else)", typed,
      did_you_mean(nearest, ""));
}

std::string explained(const std::string& typed) {
  if (typed == "sweep") return wrapped_markdown(words("sweep.md"));
  if (const auto* table = find_row(experiment_tables(), typed); table != nullptr && !typed.empty())
    return overview(*table);
  const Meant found = meant(typed);
  std::string text = found.key != nullptr ? explained(*found.key) : "";
  for (const ListedRow& row : found.rows) {
    if (!text.empty()) text += "\n";
    text += fmt::format("{} ({})\n  {}\n", typed, row.list, wrapped(text_of(row), 2, line_width() - 2));
  }
  return text;
}

Json key_json(const ExperimentKey& key) {
  const ExperimentTable& table = table_of(key);
  Json json = {{"key", key.name()},
               {"header", table.header},
               {"about", table.meaning},
               {"rows", table.rows},
               {"uses", Json::array()}};
  if (!key.other_forms.empty()) json["other_forms"] = key.other_forms;
  for (const KeyUse& use : key.uses) {
    json["uses"].push_back(json_of(use.parameter));
    if (!use.owners.empty()) json["uses"].back()["of"] = use.owners;
  }
  return json;
}

/// All keys, those of a table, or everything with this name, as JSON.
Json explained_json(const std::vector<std::string>& typed) {
  Json json = Json::array();
  const ExperimentTable* table = typed.empty() ? nullptr : find_row(experiment_tables(), typed.front());
  if (typed.empty() || table != nullptr) {
    for (const ExperimentKey& key : experiment_keys())
      if (table == nullptr || key.table == table->name) json.push_back(key_json(key));
    return json;
  }
  const Meant found = meant(typed.front());
  if (found.key != nullptr) json.push_back(key_json(*found.key));
  for (const ListedRow& row : found.rows) {
    json.push_back(json_of(row));
    json.back()["list"] = row.list;
  }
  return json;
}

ExitCode run_explain(const Arguments& arguments, const Streams& streams) {
  const auto& keys = arguments.operands;
  const bool schema = arguments.has("schema");
  if (schema && !keys.empty())
    throw InputError("--schema is for all keys together; omit the key or the option");
  if (schema || arguments.has("json")) {
    print_json(streams.out, schema ? experiment_schema() : explained_json(keys));
    return ExitCode::done;
  }
  streams.out << (keys.empty() ? overview() : explained(keys.front()));
  return ExitCode::done;
}

}  // namespace

Command explain_command() {
  return {.name = "explain",
          .operands = {.name = "KEY",
                       .meaning = "a key with dots, a table, such as run, or another name",
                       .required = false},
          .options = {{.name = "schema",
                       .meaning = "a JSON Schema of the experiment file, for editors and programs"},
                      json_option},
          .run = run_explain};
}

}  // namespace rarefact
