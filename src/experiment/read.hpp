#pragma once

/// Experiment files (TOML): text to resolved experiment.
///
/// Every problem of a file is found in one pass and reported at once, sorted by position, as
/// `file:line:column: error: key, what was found, what is legal, the nearest name`.

#include <filesystem>
#include <map>

#include "experiment/keys.hpp"

namespace rarefact {

/// The experiment of a text, with all defaults, after `overrides` "key=value" in order. Keys are those of
/// experiment_keys(), "optimizer.LABEL.step_size" for the optimizer of that label; values are TOML, or a bare word. `file`
/// names the text in messages, and relative paths start at its folder. Throws InputError with all problems.
Experiment parse_experiment(std::string_view text, const std::string& file,
                            const std::vector<std::string>& overrides = {});

/// The text of an experiment file. Throws FileError if it cannot be read, InputError if it is too large.
std::string experiment_file_text(const std::filesystem::path& path);

/// The tables of an experiment file: families flattened, `include` resolved, without [claim] (see
/// verify/claim_finding.hpp). Throws InputError if one of the files is missing or is not TOML.
ConfigNode parse_file(std::string_view text, const std::string& file);

/// Options for reading points of a sweep.
struct PointReading {
  /// Table ("embedding.query", "optimizer.LABEL") -> parameters that are allowed although the point's row
  /// does not have them, because the row for another value of the axis does.
  std::map<std::string, std::vector<std::string>> tolerated = {};
  /// The point has been checked before; combinations of parameters are not checked again.
  bool checked = false;
};

/// The experiment of the tables of a file, with all defaults; meaningful only if no problem was added.
Experiment experiment_from(const ConfigNode& root, const std::string& file, const PointReading& reading,
                           ProblemList& problems);

/// The table `key` of `parent`; empty if missing; null, with a problem about `name`, if it is something else.
const ConfigNode* find_table(const ConfigNode& parent, const std::string& key, const std::string& name,
                             ProblemList& problems);

/// Reads a table into its section. `other_keys` are also legal, and not read.
void read_table(const ConfigNode& table, Section& section, const std::vector<std::string>& other_keys,
                ProblemList& problems);

/// "key=value" from the command line, split at the first = and trimmed. Throws InputError if a part is empty.
struct Override {
  explicit Override(const std::string& text);
  std::string typed, key, value;
  /// The value. Throws InputError if it is not TOML.
  ConfigNode setting() const { return parse_override(value, place()); }
  Place place() const { return {.override_text = typed, .full_key = std::make_shared<std::string>(key)}; }
};

/// Why --set or [sweep] cannot set a key: it is unknown, or names no optimizer. An empty message if it can.
Problem objection_to(const ConfigNode& root, const std::string& key);

/// Puts a value into the tables of a file; types are checked when the tables are read. Throws InputError.
void apply_override(ConfigNode& root, const Override& change);

/// Calls `apply` for each override, those that name optimizers last: all others know the names of the file. An InputError
/// becomes a problem.
void for_overrides(const std::vector<std::string>& overrides, ProblemList& problems,
                   const std::function<void(const Override&)>& apply);

/// The tables of the optimizers of a file, ignoring anything else.
std::vector<ConfigNode*> optimizer_nodes(ConfigNode& root);

/// Flattens the tables of families in an optimizer: "param.mu" instead of mu in the table param.
void flatten_families(ConfigNode& root);

/// The label of an optimizer: its name, or else its rule.
std::string label_of(const ConfigNode& optimizer);

/// The table of a dotted key, created if missing; for "optimizer.LABEL.step_size" that of the label. Null if
/// no optimizer has the label, or if a part of the key is not a table.
ConfigNode* table_of_key(ConfigNode& root, const std::string& key);
/// The value of a dotted key; null if there is none.
const ConfigNode* setting_of_key(ConfigNode& root, const std::string& key);
/// Writes out the name of the optimizer of a key, so that a new rule does not change its label.
void keep_label(ConfigNode& root, const std::string& key);
/// Sets the value of a dotted key. Does nothing if table_of_key is null, which the reader reports.
void put_setting(ConfigNode& root, const std::string& key, ConfigNode value);

}  // namespace rarefact
