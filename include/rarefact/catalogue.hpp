#pragma once

/// Catalogue rows: the only place where a name that users can type is defined. `rarefact list`, `explain`,
/// validation, nearest-name hints, HDF5 attributes and the table-driven tests all read the row.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rarefact {

/// Legal values of a number; an end is excluded where it is open. Infinite ends are unbounded.
struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool low_open = false;
  bool high_open = false;

  bool contains(double x) const {
    return (low_open ? x > low : x >= low) && (high_open ? x < high : x <= high);
  }
};

/// The interval as text: "[0, 1)", "> 0", "any number".
std::string to_string(const Interval& interval);

enum class Kind {
  number,   ///< a double
  count,    ///< a whole number that may exceed 64 bits, so a double; may be written 1e12
  integer,  ///< a 64-bit integer
  boolean,
  text,     ///< one of `choices` where choices are given
  formula,  ///< an expression of matrices (docs/formulas.md)
  path,     ///< a file, relative to the experiment file
  column,   ///< a column of a table: its name or its number from 1, stored as a text
  numbers,  ///< an array of doubles
  matrix,   ///< a square array of arrays of doubles, stored row by row
  ranked,  ///< a number, a text of `choices`, or a power law of the rank {exponent, largest}, stored as these two
};

/// The kind in words: "a number", "a whole number" ...
std::string_view to_string(Kind kind);

using Value = std::variant<bool, std::int64_t, double, std::string, std::vector<double>>;

/// The value of a swept key in a run: a number (true is 1, false 0), or a text such as a kind.
using SweptValue = std::variant<double, std::string>;

/// A value as TOML writes it, shortest form that reads back the same ("1e-3" and "0.001" give the same text).
std::string to_toml(const Value& value);

struct Parameter {
  std::string name;
  Kind kind = Kind::number;
  std::string meaning;
  std::optional<Value> default_value = {};  ///< absent: the user must give it (unless `optional`)
  Interval legal = {};
  std::string unit = "1";
  std::vector<std::string> choices = {};  ///< legal texts or numbers, where they are few
  bool optional = false;                  ///< may stay absent although it has no default
  std::string symbol = {};                ///< "s", "η", "β₁": its name in formulas; empty: it has none
  bool family = false;                    ///< stands for every "name.x", x of letters, digits and _

  /// The name shown to users: "momentum", "param.NAME".
  std::string shown() const { return family ? name + ".NAME" : name; }
};

/// A problem with parameters of a row, each of which is legal by itself.
struct ParameterProblem {
  std::string key = {};  ///< of the parameter; empty: a combination is illegal
  std::string message;
  std::optional<std::size_t> offset = {};  ///< byte of its text with the problem; nullopt: all of it
  std::string hint = {};                   ///< the name that may have been meant
};

/// Named values, sorted by name; the resolved parameters of a spectrum, an embedding or an update rule.
class ParameterValues {
 public:
  ParameterValues() = default;
  ParameterValues(std::initializer_list<std::pair<const std::string, Value>> values) : values_(values) {}

  bool has(const std::string& name) const { return values_.count(name) != 0; }
  void set(const std::string& name, Value value) { values_[name] = std::move(value); }
  const std::map<std::string, Value>& all() const { return values_; }

  /// The value of a parameter that validation has established; std::logic_error if it is absent or of another
  /// type.
  double number(const std::string& name) const;
  std::int64_t integer(const std::string& name) const;
  bool boolean(const std::string& name) const;
  const std::string& text(const std::string& name) const;
  const std::vector<double>& numbers(const std::string& name) const;

  bool operator==(const ParameterValues&) const = default;

 private:
  const Value& at(const std::string& name) const;
  std::map<std::string, Value> values_;
};

/// The members that every catalogue row has.
struct CatalogueRow {
  std::string name;          ///< as typed by the user
  std::string summary;       ///< one line
  std::string formula = {};  ///< plain text, with the symbols of docs/model.md
  std::string source = {};   ///< key of data/references.bib and theorem number, or empty
  std::vector<Parameter> parameters = {};
};

/// The row of this name, or null. A row is anything with a member `name`.
template <class Rows>
const typename Rows::value_type* find_row(const Rows& rows, std::string_view name) {
  for (const auto& row : rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

/// The row of a name that validation has accepted. Throws std::logic_error, whose message calls a row `what`,
/// if there is none.
template <class Rows>
const typename Rows::value_type& row_named(const Rows& rows, std::string_view name, const char* what) {
  if (const auto* row = find_row(rows, name)) return *row;
  throw std::logic_error("no " + std::string(what) + " is named '" + std::string(name) + "'");
}

}  // namespace rarefact
