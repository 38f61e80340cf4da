#pragma once

/// Experiment files (TOML): text to resolved experiment.
///
/// Every problem of a file is found in one pass and reported at once, sorted by position, as
/// `file:line:column: error: what, what was got, what is legal, the nearest name`.

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/keys.hpp"
#include "experiment/setting.hpp"

namespace rarefact {

/// The experiment a text describes, defaults filled in, after `overrides` of the form "key=value" were put
/// over it in their order. Keys are those of experiment_keys(), "optimizer.LABEL.step_size" for the optimizer
/// of that label; a value is read as TOML, and a bare word that is none as a text. `file` names the text in
/// messages, and relative paths in the experiment start at its folder. InputError with all problems.
Experiment parse_experiment(std::string_view text, const std::string& file,
                            const std::vector<std::string>& overrides = {});

/// The text of an experiment file. FileError if it cannot be read, InputError if it is too large.
std::string experiment_file_text(const std::filesystem::path& path);

/// The tables of an experiment file, those of families flat, with what `include` names in the tables of optimizers.
/// InputError where one of them is no TOML, or not there.
Setting parse_file(std::string_view text, const std::string& file);

/// How the points of a sweep are read.
struct PointReading {
  /// Table ("embedding.query", "optimizer.LABEL") -> parameters that may stand there although the point's row
  /// has none of that name, because another value of the axis that chooses the row does.
  std::map<std::string, std::vector<std::string>> tolerated = {};
  /// The point has been read before, so parameters are not checked together once more.
  bool checked = false;
};

/// The experiment that the tables of a file describe, defaults filled in; meaningful where no problem was
/// added.
Experiment experiment_from(const Setting& root, const std::string& file, const PointReading& reading,
                           ProblemList& problems);

/// The table `key` of `parent`; an empty one where it is missing; null, with a problem, where it is something
/// else. `name` is the table's in messages.
const Setting* find_table(const Setting& parent, const std::string& key, const std::string& name,
                          ProblemList& problems);

/// Reads a table into what it sets. `other_keys` are legal there too and left to the caller.
void read_table(const Setting& table, Part& part, const std::vector<std::string>& other_keys,
                ProblemList& problems);

/// "key=value" of the command line, taken apart at the first =, blanks around both parts dropped. InputError
/// if one is missing.
struct Override {
  explicit Override(const std::string& text);
  std::string typed, key, value;
  /// InputError if the value is no TOML.
  Setting setting() const { return parse_override(value, place()); }
  Place place() const { return {.override_text = typed, .full_key = std::make_shared<std::string>(key)}; }
};

/// Puts a value into the tables of a file. Wrong types are left to the reader of the tables to find.
/// InputError.
void apply_override(Setting& root, const Override& one);

/// Calls `apply` for each; an InputError becomes a problem of that override.
void for_overrides(const std::vector<std::string>& overrides, ProblemList& problems,
                   const std::function<void(const Override&)>& apply);

/// Puts what stands in the tables of families beside the other keys of an optimizer: "param.mu" instead of mu in the
/// table param.
void flatten_families(Setting& root);

/// The label of an optimizer's table: its name, or else its rule.
std::string label_of(const Setting& optimizer);

/// The labels of all optimizers of a file.
std::vector<std::string> optimizer_labels(const Setting& root);

/// 'no optimizer is named "x"; there are: a, b', with the nearest.
Problem no_such_optimizer(const Setting& root, const std::string& label);

/// The table in which a dotted key stands, made where it is missing: "optimizer.LABEL.step_size" in that of
/// the label. Null where there is no such optimizer or something else is in the way.
Setting* table_of_key(Setting& root, const std::string& key);

}  // namespace rarefact
