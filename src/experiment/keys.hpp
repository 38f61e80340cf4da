#pragma once

/// The keys of an experiment file, a row each, over which reading, writing, `--set`, [sweep], `rarefact explain` and
/// docs/keys.md loop. Parameters of spectra, embeddings and update rules come from their catalogues.

#include <functional>

#include "experiment/experiment.hpp"
#include "experiment/setting.hpp"

namespace rarefact {

/// "run.steps"; "seed" without a table.
std::string dotted(const std::string& table, const std::string& key);

/// The names of keys that are families: "param".
const std::vector<std::string>& families();

/// The parts of a key as users write it: "optimizer.LABEL.param.mu", "embedding.query.kind", "run.steps", "seed".
struct KeyPath {
  std::string table;  ///< "optimizer", "embedding", "run"; empty at top level
  std::string part;   ///< the optimizer's label, or the side of the embedding; empty: none
  std::string name;   ///< "param.mu", "kind", "steps"

  explicit KeyPath(std::string_view typed);
  /// "optimizer.LABEL".
  std::string section() const { return part.empty() ? table : dotted(table, part); }
  std::string text() const { return dotted(section(), name); }
  /// True if the table has a part of this name.
  bool has_part() const;
  /// The key without its part, if the table has it: "optimizer.param.mu".
  std::string of_table() const { return has_part() ? dotted(table, name) : text(); }
};

/// The meaning of a key for the catalogue rows that share it. `classes.exponent` has nearly the same meaning
/// for two spectra; `optimizer.momentum` has different defaults for the rules momentum and muon.
struct KeyUse {
  std::vector<std::string> owners;  ///< names of the rows that have the key; empty: it is always legal
  Parameter parameter;              ///< its name is the last part of the key
};

/// The section of an experiment that the keys of one table set.
struct Section {
  std::string name;   ///< of the table: "run", "embedding.query", "optimizer.LABEL"
  std::string table;  ///< the same in the key catalogue: "run", "embedding", "optimizer"
  Experiment* experiment;
  std::string* row = nullptr;             ///< the chosen spectrum, law, embedding, mode or rule
  ParameterValues* parameters = nullptr;  ///< of that row
  OptimizerChoice* optimizer = nullptr;
  OwnSeed* seed = nullptr;              ///< of what the table draws
  std::vector<std::string> known = {};  ///< keys of this table with a legal value so far

  bool knows(std::string_view key) const;
  /// "embedding.query.kind"; keys of optimizers without their label.
  std::string key_in_messages(const std::string& key) const;
};

struct ExperimentKey;

struct Codec {
  using Read = void(const ConfigNode&, const ExperimentKey&, Section&, ProblemList&);
  using Write = ConfigNode(const Section&);
  std::function<Read> read;  ///< adds a problem if the value is not legal
  std::function<Write> write;
  /// True if the canonical text has the key. Null: always.
  std::function<bool(const Section&)> written = {};
};

struct ExperimentKey {
  std::string table;             ///< "" (top level), "classes", "answers", "model" ... "run" or "optimizer"
  std::vector<KeyUse> uses;      ///< at least one; several only if every use has owners
  Codec codec = {};              ///< empty for parameters of rows, which are in Section::parameters
  std::string other_forms = {};  ///< legal values that are neither plain numbers nor texts, as TOML
  bool of_squares = false;       ///< only for least squares
  bool selects = false;          ///< its value chooses the row that owns the other keys of the table

  const std::string& last_name() const { return uses.front().parameter.name; }
  /// True for a family, all keys "NAME.x".
  bool family() const { return uses.front().parameter.family; }
  /// True if this name in the table belongs to the key: "steps"; "param.mu" for the family param.
  bool has(std::string_view name) const;
  /// The name shown to users, with dots: "optimizer.param.NAME".
  std::string shown() const { return dotted(table, uses.front().parameter.shown()); }
  /// The dotted name: "run.steps", "classes.exponent", "optimizer.step_size", "seed".
  std::string name() const { return table.empty() ? last_name() : table + "." + last_name(); }
  /// True if only some rows have the key.
  bool owned() const { return !uses.front().owners.empty(); }
  /// The meaning of the key for a row; null if the row does not have it.
  const Parameter* parameter_of(std::string_view owner) const;
  /// All rows that have the key; empty if it is always legal.
  std::vector<std::string> owners() const;
};

/// A table of the file, with the word for its rows in messages: "spectrum", "embedding", "rule"; empty without rows.
struct ExperimentTable {
  std::string name;
  std::string header;  ///< as in a file: "[classes]", "[[optimizer]]"; empty at top level
  std::string rows;
  std::string meaning;
  /// True if the canonical text has the table. Null: always.
  bool (*written)(const Experiment&) = nullptr;
};

/// True if experiments with this answer law have a table [classes].
bool has_classes(std::string_view law);

const std::vector<ExperimentTable>& experiment_tables();

/// The value of a key in canonical form: formulas without blanks at their ends.
ConfigNode canonical_setting(const ExperimentKey& key, ConfigNode setting);

/// Every key, in the order of the file. Those of `embedding` are also those of `embedding.query` and `embedding.answer`.
const std::vector<ExperimentKey>& experiment_keys();

const std::vector<const ExperimentKey*>& keys_of_table(std::string_view table);

/// The row of a key as typed, also "embedding.query.kind" and "optimizer.LABEL.step_size"; null if there is none.
const ExperimentKey* find_key(std::string_view name);

/// The tables of an experiment in the order of its text. With `both_sides` [embedding] is a single table.
std::vector<Section> sections_of(Experiment& experiment, bool both_sides = false);

/// "param_classes_exponent" for the swept key "classes.exponent": a real variable over run, or a text if a value is one.
std::string parameter_variable(const std::string& key);

/// The symbol of a key: "s", "η of gd" for "optimizer.gd.step_size"; the key itself without one, or with several.
std::string symbol_of(const std::string& key);

std::vector<std::string> key_names();

/// Keys that `name` may mean: those with the same last part, else the nearest by spelling, if any is near.
std::vector<std::string> nearest_keys(std::string_view name);

/// Replaces a last part that other programs use: "optimizer.step_size" for "optimizer.learning_rate".
std::string usual_word(const std::string& name);

/// 'unknown key "x" in [TABLE]', with a hint.
Problem unknown_key(const std::string& key, const std::string& table = "");

template <class T>
bool contains(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// Legal values in words: 'a number in [0, 1)', 'one of auto, on, off'.
std::string legal_values(const Parameter& parameter);

/// Whole doubles up to here are exact, so a whole number may be written as a float.
inline constexpr double largest_exact = 9007199254740992.0;

/// The value of a parameter, in the type of its kind; nullopt if it is not legal.
std::optional<Value> legal_value(const ConfigNode& setting, const Parameter& parameter);

/// legal_value(); adds a problem if it is not legal. `key` is the key in messages.
std::optional<Value> read_value(const ConfigNode& setting, const std::string& key, const Parameter& parameter,
                                ProblemList& problems);

/// A value as it is written for a parameter of this kind.
ConfigNode setting_of(const Value& value, Kind kind);

/// A default of the catalogue in the form of legal_value.
Value canonical(const Value& value, Kind kind);

/// "gd" or "power_law and grouped_power_law".
std::string in_words(const std::vector<std::string>& names, const std::string& last = " and ");

}  // namespace rarefact
