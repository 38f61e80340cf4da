#pragma once

/// What stands in an experiment file: typed values that know where they were written, whatever becomes of
/// them. The TOML library is seen by setting.cpp alone.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/text.hpp"

namespace rarefact {

/// Where something was written.
struct Place {
  int line = 0, column = 0;        ///< in the file, from 1; 0 on the command line, and of what nobody wrote
  std::string override_text = {};  ///< of the --set that it came with
  int text_column = 0;             ///< where the first character of a text is; 0 where escapes hide that
  bool on_axis = false;            ///< among the values of an axis of [sweep]
  std::shared_ptr<const std::string> included =
      {};  ///< the file, where another one includes it; null: that one
  std::shared_ptr<const std::string> full_key =
      {};  ///< that it belongs to, "optimizer.step_size"; null: none
};

struct Setting;
using SettingList = std::vector<Setting>;

struct SettingTable {
  std::vector<Setting> entries;  ///< each with its name
  bool in_braces = false;        ///< {a = 1} instead of [table] or dotted keys
};

struct DateOrTime {
  std::string text;
};

/// A value with its places; in a table with the name that it has there.
struct Setting {
  std::variant<bool, std::int64_t, double, std::string, SettingList, SettingTable, DateOrTime> value =
      SettingTable{};
  std::string name = {};
  Place key = {};  ///< of the name
  Place place = {};

  /// Null where it is something else.
  template <class T>
  const T* as() const {
    return std::get_if<T>(&value);
  }
  /// The entry of a table; null where there is none, or this is no table.
  const Setting* get(std::string_view entry) const;
  Setting* get(std::string_view entry) {
    return const_cast<Setting*>(static_cast<const Setting*>(this)->get(entry));
  }
  /// Puts an entry into a table, instead of one of the same name.
  void put(Setting entry);
};

/// The text without blanks at its ends.
std::string_view trimmed(std::string_view text);

/// The tables of a text. `base`: what all places share. InputError with the place of what is no TOML.
Setting parse_toml(std::string_view text, const std::string& file, const Place& base = {});

/// What stands behind the = of "--set key=value": TOML, or a bare word, which is a text. InputError where it is
/// neither. `place`: where it is said to be.
Setting parse_override(const std::string& value, const Place& place);

/// In one form for all ways to write it; keys of tables bare, or in quotes.
std::string to_toml(const Setting& setting, bool quoted_keys = false);

/// In a message: '2.5', 'the text "abc"', 'a list'.
std::string description(const Setting& setting);
/// The same with the length of a list: 'a list of 2'.
std::string list_description(const Setting& setting);

/// Gathers problems, sorted by their place: those of the file by line and column, then those of the command
/// line. Beyond a hundred more of them help nobody: they are only counted.
class ProblemList {
 public:
  explicit ProblemList(std::string file = {}) : file_(std::move(file)) {}
  /// The problem with its place, and with the key that stands there if it names none. What is missing from a table
  /// that nobody wrote is missing from the start of the file.
  Problem at(const Place& place, Problem problem) const;
  void add(const Place& place, Problem problem) { add(at(place, std::move(problem))); }
  template <class... Values>
  void add(const Place& place, fmt::format_string<Values...> message, Values&&... values) {
    add(place, problem_of(message, std::forward<Values>(values)...));
  }
  /// A problem at a byte of a text that stands at `place`, or with all of it; an excerpt shows where.
  void add_within(const Place& place, const std::string& text, std::optional<std::size_t> where,
                  Problem problem);
  void add(Problem problem) {
    if (++size_ <= enough) problems_.push_back(std::move(problem));
  }
  const std::vector<Problem>& all() const { return problems_; }
  /// How many there are, those that are only counted too.
  std::size_t size() const { return size_; }
  /// Whether to look for more is in vain.
  bool full() const { return size_ >= enough; }
  /// InputError if there are any.
  void throw_if_any();

 private:
  static constexpr std::size_t enough = 100;
  std::size_t size_ = 0;
  std::string file_;
  std::vector<Problem> problems_;
};

}  // namespace rarefact
