#pragma once

// What the files of this folder that read experiments share: problems with positions, values of a parameter.

#include <toml++/toml.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/catalogue.hpp"
#include "core/error.hpp"

namespace rarefact {

/// Nodes that came from the command line have a source path that starts with this.
inline constexpr std::string_view override_mark = "--set ";
/// Nodes made of an element of an axis have a source path that starts with this, and after it "LINE:COLUMN"
/// of the element in the file.
inline constexpr std::string_view element_mark = "element at ";

/// Gathers problems, sorted by their place: those of the file by line and column, then those of the command
/// line.
class ProblemList {
 public:
  explicit ProblemList(std::string file) : file_(std::move(file)) {}
  void add(const toml::source_region& where, std::string message);
  void add_override(const std::string& override_text, std::string message);
  bool empty() const { return problems_.empty(); }
  const std::vector<Problem>& all() const { return problems_; }
  void add(Problem problem) { problems_.push_back(std::move(problem)); }
  /// InputError if there are any.
  void throw_if_any();

 private:
  std::string file_;
  std::vector<Problem> problems_;
};

/// The text of an experiment file. FileError if it cannot be read, InputError if it is too large.
std::string experiment_file_text(const std::filesystem::path& path);

/// The tables of a text. InputError with the place of what is no TOML.
toml::table parse_toml(std::string_view text, const std::string& file);

/// The value of a parameter, of the type its kind is stored as; nothing, and a problem, if it is not legal.
/// `key` is the key in messages.
std::optional<Value> read_value(const toml::node& node, const std::string& key, const Parameter& parameter,
                                ProblemList& problems);

/// A default of the catalogue as read_value would have given it.
Value canonical(const Value& value, Kind kind);

/// A node in a message: '2.5', 'the text "abc"', 'a list'.
std::string description(const toml::node& node);

/// "key=value" taken apart at the first =, blanks around both parts dropped; nothing, and a problem, if one
/// is missing.
struct OverrideParts {
  std::string key, value;
};
std::optional<OverrideParts> override_parts(const std::string& override_text, ProblemList& problems);

/// A table with the one entry `value`, whose place names the override; a bare word is a text. Nothing, and a
/// problem, if it is no TOML.
std::optional<toml::table> override_value(const std::string& value, const std::string& override_text,
                                          ProblemList& problems);

/// Puts "key=value" into the tables of a file. Wrong types are left to the reader of the tables to find.
void apply_override(toml::table& root, const std::string& override_text, ProblemList& problems);

/// The label of an optimizer's table: its name, or else its rule.
std::string label_of(const toml::table& optimizer);

/// The labels of all optimizers of a file.
std::vector<std::string> optimizer_labels(const toml::table& root);

/// 'no optimizer is named "x"; there are: a, b', with the nearest.
std::string no_such_optimizer(const toml::table& root, const std::string& label);

/// The table in which a dotted key stands, made where it is missing: "optimizer.LABEL.step_size" in that of
/// the label. Null where there is no such optimizer or something else is in the way.
toml::table* table_of_key(toml::table& root, std::string_view key);

/// Moves a node to `name` of a table; a copy would forget its source. The key's place is `where`.
void place_node(toml::table& table, std::string_view name, toml::node& node,
                const toml::source_region& where);

/// "steps" of "run.steps", and what is before the last dot.
std::string last_part(const std::string& key);
std::string path_part(const std::string& key);

}  // namespace rarefact
