#pragma once

/// The contents of an experiment file: typed values with positions. Only setting.cpp uses the TOML library.

#include <memory>
#include <variant>

#include "core/text.hpp"

namespace rarefact {

/// The position of a value in the text.
struct Place {
  int line = 0, column = 0;        ///< in the file, from 1; 0 on the command line and for defaults
  std::string override_text = {};  ///< of the --set option that it came from
  int text_column = 0;   ///< column of the first character of a text; 0 if unknown because of escapes
  bool on_axis = false;  ///< among the values of an axis of [sweep]
  std::shared_ptr<const std::string> included = {};  ///< the file; null: the experiment file
  std::shared_ptr<const std::string> full_key = {};  ///< key of the value, "optimizer.step_size"; null: none
};

struct ConfigNode;
using ConfigList = std::vector<ConfigNode>;

struct ConfigTable {
  std::vector<ConfigNode> entries;  ///< each with its name
  bool in_braces = false;           ///< {a = 1} instead of [table] or dotted keys
};

struct DateOrTime {
  std::string text;
};

/// A value with its position; in a table also its name.
struct ConfigNode {
  std::variant<bool, std::int64_t, double, std::string, ConfigList, ConfigTable, DateOrTime> value =
      ConfigTable{};
  std::string name = {};
  Place key = {};  ///< of the name
  Place place = {};

  /// The value as T, or null if it has another type.
  template <class T>
  const T* as() const {
    return std::get_if<T>(&value);
  }
  /// The entry of a table; null if there is none, or this is not a table.
  const ConfigNode* get(std::string_view entry) const;
  ConfigNode* get(std::string_view entry) {
    return const_cast<ConfigNode*>(static_cast<const ConfigNode*>(this)->get(entry));
  }
  /// Adds an entry to a table, replacing any of the same name.
  void put(ConfigNode entry);
  void erase(std::string_view entry);
};

/// The entries of a table in the order of the file; the TOML library sorts them by name.
ConfigList in_file_order(ConfigList entries);

/// The number that a text means but that TOML writes otherwise: "5 %", ".5", "10^3", "1/10", "20k"; nullopt: none.
std::optional<double> meant_number(std::string_view text);

/// A hint for a value that is not TOML, from the message of the TOML library and the last part of its key.
std::string syntax_hint(std::string_view message, std::string_view key, std::string_view value);

/// The message of the TOML library about "0,1" and "1 000".
inline constexpr const char* text_after_value = "expected a comment or whitespace";

/// Parses a text. `base`: common members of all positions. Throws InputError with the position of a syntax error.
ConfigNode parse_toml(std::string_view text, const std::string& file, const Place& base = {});

/// Parses the value of "--set key=value": TOML, or a bare word, which is a text. Throws InputError if it is neither.
ConfigNode parse_override(const std::string& value, const Place& place);

/// The canonical text of a value; keys of tables bare or in quotes.
std::string to_toml(const ConfigNode& setting, bool quoted_keys = false);

/// A value in a message: '2.5', 'the text "abc"', 'a list'.
std::string description(const ConfigNode& setting);
/// The same with the length of a list: 'a list of 2'.
std::string list_description(const ConfigNode& setting);

/// Gathers problems, sorted by position, those of the command line last. Beyond a hundred they are only counted.
class ProblemList {
 public:
  explicit ProblemList(std::string file = {}) : file_(std::move(file)) {}
  /// The problem with a position, and the key there if it has none. Keys missing in a missing table get the start of the
  /// file.
  Problem at(const Place& place, Problem problem) const;
  void add(const Place& place, Problem problem) { add(at(place, std::move(problem))); }
  template <class... Values>
  void add(const Place& place, fmt::format_string<Values...> message, Values&&... values) {
    add(place, problem_of(message, std::forward<Values>(values)...));
  }
  /// Adds a problem at a byte of a text at `place`, or with the whole text, with an excerpt.
  void add_within(const Place& place, const std::string& text, std::optional<std::size_t> where,
                  Problem problem);
  void add(Problem problem) {
    if (++size_ <= enough) problems_.push_back(std::move(problem));
  }
  const std::vector<Problem>& all() const { return problems_; }
  /// The number of problems, including those only counted.
  std::size_t size() const { return size_; }
  /// True if further problems would only be counted.
  bool full() const { return size_ >= enough; }
  void throw_if_any();

 private:
  static constexpr std::size_t enough = 100;
  std::size_t size_ = 0;
  std::string file_;
  std::vector<Problem> problems_;
};

}  // namespace rarefact
