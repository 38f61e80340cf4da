#include <fmt/format.h>

#include <ostream>

#include "cli/command.hpp"
#include "cli/reference.hpp"
#include "cli/text_layout.hpp"
#include "core/text.hpp"
#include "rarefact/catalogue.hpp"

namespace rarefact {

std::string default_text(const Parameter& parameter) {
  if (parameter.default_value) return to_toml(*parameter.default_value);
  return parameter.optional ? "none" : "required";
}

namespace commands {

namespace {

const ExperimentTable& table_of(const ExperimentKey& key) {
  return row_named(experiment_tables(), key.table, "table");
}

TextRows use_rows(const ExperimentKey& key, const KeyUse& use) {
  const Parameter& parameter = use.parameter;
  TextRows rows = {
      {"meaning", parameter.meaning},
      {"type", std::string(to_string(parameter.kind))},
      {"default", default_text(parameter)},
      {"legal", legal_values(parameter) + (key.other_forms.empty() ? "" : ", " + key.other_forms)}};
  if (parameter.unit != "1") rows.emplace_back("unit", parameter.unit);
  if (!use.owners.empty()) rows.emplace_back(table_of(key).rows, joined(use.owners));
  return rows;
}

/// Meaning, type, default, legal values, to which rows it belongs; how it stands in a file and on the command line.
std::string explained(const ExperimentKey& key) {
  std::string text = key.name() + "\n";
  for (const KeyUse& use : key.uses) {
    // A blank line keeps the meanings for different rows apart.
    if (&use != &key.uses.front()) text += "\n";
    text += two_columns(use_rows(key, use));
  }
  const ExperimentTable& table = table_of(key);
  const std::string typed = key.table == "optimizer" ? "optimizer.NAME." + key.last_name() : key.name();
  return text + "\n" +
         two_columns({{"where", table.header.empty() ? table.meaning : "in " + table.header},
                      {"override", fmt::format("rarefact run ... --set {}=VALUE", typed)}});
}

/// The meanings of a key, each with the rows for which it holds; most keys have one.
std::string meanings(const ExperimentKey& key) {
  std::vector<std::pair<std::string, std::vector<std::string>>> by_meaning;
  for (const KeyUse& use : key.uses) {
    if (by_meaning.empty() || by_meaning.back().first != use.parameter.meaning)
      by_meaning.emplace_back(use.parameter.meaning, std::vector<std::string>{});
    auto& owners = by_meaning.back().second;
    owners.insert(owners.end(), use.owners.begin(), use.owners.end());
  }
  std::vector<std::string> parts;
  for (const auto& [meaning, owners] : by_meaning)
    parts.push_back(owners.empty() ? meaning : fmt::format("{} ({})", meaning, joined(owners)));
  return joined(parts, "; ");
}

/// The keys of a table, one line each.
std::string overview(const ExperimentTable& table) {
  TextRows rows;
  for (const ExperimentKey* key : keys_of_table(table.name)) rows.emplace_back(key->name(), meanings(*key));
  return wrapped((table.header.empty() ? "" : table.header + " ") + table.meaning) + "\n" + two_columns(rows);
}

std::string overview() {
  std::string text;
  for (const ExperimentTable& table : experiment_tables()) text += overview(table) + "\n";
  return text + "[sweep]\n  a grid of experiments over any of these keys: rarefact explain sweep\n\n" +
         "rarefact explain KEY says more of one\n";
}

std::string explained(const std::string& typed) {
  if (const ExperimentKey* key = find_key(typed)) return explained(*key);
  if (const auto* table = find_row(experiment_tables(), typed); table != nullptr && !typed.empty())
    return overview(*table);
  if (typed == "sweep") return explain_sweep();
  // The last part alone will do where it is one key's.
  const auto nearest = nearest_keys(typed);
  if (nearest.size() == 1 && find_key(nearest[0])->last_name() == typed)
    return explained(*find_key(nearest[0]));
  throw InputError(fmt::format("there is no experiment key \"{}\"{} (rarefact explain lists all keys)", typed,
                               did_you_mean(joined(nearest, " or "), "")));
}

ExitCode run_explain(const Arguments& arguments, const Streams& streams) {
  const auto& keys = arguments.operands;
  const bool markdown = arguments.has("markdown");
  if (markdown && !keys.empty())
    throw InputError("--markdown is for all keys together; leave the key or the option away");
  streams.out << (markdown       ? experiment_file_markdown()
                  : keys.empty() ? overview()
                                 : explained(keys.front()));
  return ExitCode::done;
}

}  // namespace

Command explain() {
  return {
      .name = "explain",
      .summary = "what a key of the experiment file means",
      .description =
          "Explains a key of the experiment file: its meaning, type, default, legal values, and to which "
          "spectrum, embedding or rule it belongs. Without a key it lists all of them, with the name of a "
          "table those of the table; sweep is the grid of experiments.",
      .operands = {.name = "KEY", .meaning = "a key with dots, or a table, such as run", .required = false},
      .options = {{.name = "markdown", .meaning = "all keys as docs/experiment-file.md"}},
      .examples = {"rarefact explain", "rarefact explain run.steps", "rarefact explain classes.exponent",
                   "rarefact explain sweep"},
      .run = run_explain};
}

}  // namespace commands

}  // namespace rarefact
