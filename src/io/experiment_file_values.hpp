#pragma once

// What the files of this folder that read experiments share: problems with positions, values of a parameter.

#include <toml++/toml.h>

#include <optional>
#include <string>
#include <vector>

#include "rarefact/core/catalogue.hpp"
#include "rarefact/core/error.hpp"

namespace rarefact {

/// Nodes that came from the command line have a source path that starts with this.
inline constexpr std::string_view override_mark = "--set ";

/// Gathers problems, sorted by their place: those of the file by line and column, then those of the command
/// line.
class ProblemList {
 public:
  explicit ProblemList(std::string file) : file_(std::move(file)) {}
  void add(const toml::source_region& where, std::string message);
  void add_override(const std::string& override_text, std::string message);
  bool empty() const { return problems_.empty(); }
  /// InputError if there are any.
  void throw_if_any();

 private:
  std::string file_;
  std::vector<Problem> problems_;
};

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

/// '; did you mean "nearest"?', or nothing.
std::string did_you_mean(const std::string& nearest);

/// Puts "key=value" into the tables of a file. Wrong types are left to the reader of the tables to find.
void apply_override(toml::table& root, const std::string& override_text, ProblemList& problems);

}  // namespace rarefact
