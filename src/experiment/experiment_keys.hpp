#pragma once

/// The keys of an experiment file, one row each. Reading, `--set`, `rarefact explain`, the starter file's
/// test and docs/experiment-file.md all derive from these rows. Parameters of spectra, embeddings and update
/// rules come from their catalogues and are written nowhere else.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/catalogue.hpp"

namespace rarefact {

/// What a key means for the catalogue rows that share this meaning. `classes.exponent` means nearly the same
/// to two spectra; `optimizer.momentum` has one default for the rule momentum and another for muon.
struct KeyUse {
  std::vector<std::string> owners;  ///< names of the rows that have the key; empty: it is always legal
  Parameter parameter;              ///< its name is the last part of the key
};

struct ExperimentKey {
  std::string table;             ///< "" (top level), "classes", "embedding", "data", "run" or "optimizer"
  std::vector<KeyUse> uses;      ///< at least one; more than one only where every use has owners
  bool selects = false;          ///< its value chooses the row that owns the other keys of the table
  std::string other_forms = {};  ///< legal values that are neither plain numbers nor texts, as TOML

  const std::string& last_name() const { return uses.front().parameter.name; }
  /// With dots: "run.steps", "classes.exponent", "optimizer.step_size", "seed".
  std::string name() const { return table.empty() ? last_name() : table + "." + last_name(); }
  /// What it means to a row; null if the row does not have it.
  const Parameter* parameter_of(std::string_view owner) const;
  /// Every row that has it; empty if it is always legal.
  std::vector<std::string> owners() const;
};

/// A table of the file. What its rows are called in messages: "spectrum", "embedding", "rule"; empty without
/// rows.
struct ExperimentTable {
  std::string name;
  std::string header;  ///< as it stands in a file: "[classes]", "[[optimizer]]"; empty at top level
  std::string rows;
  std::string meaning;
};

/// Top level, classes, embedding, data, run, optimizer: the order of the file.
const std::vector<ExperimentTable>& experiment_tables();

/// Every key, in the order of the file. The keys of `embedding` are also those of `embedding.query` and
/// `embedding.answer`, for one side alone.
const std::vector<ExperimentKey>& experiment_keys();

/// The keys of one table, in order.
std::vector<const ExperimentKey*> keys_of_table(std::string_view table);

/// The row of a key as a user may write it: also "embedding.query.kind", and "optimizer.LABEL.step_size" for
/// the optimizer of that label. Null if there is none.
const ExperimentKey* find_key(std::string_view name);

/// "param_classes_exponent" for the swept key "classes.exponent": a real variable over run, or a text where a
/// value of the key is one.
std::string parameter_variable(const std::string& key);

/// The names of all keys.
std::vector<std::string> key_names();

/// What somebody who wrote the unknown `name` may have meant: the keys with the same last part, else the
/// nearest one by spelling; empty where nothing is near.
std::vector<std::string> nearest_keys(std::string_view name);

/// The form of a parameter of Kind::triples that is no name.
inline constexpr const char* triples_form = "a list of triples of numbers, [[a, b, c], ...]";

/// Legal values in words: 'a number in [0, 1)', 'one of auto, on, off'.
std::string legal_values(const Parameter& parameter);

/// "gd" or "power_law and grouped_power_law".
std::string in_words(const std::vector<std::string>& names);

}  // namespace rarefact
