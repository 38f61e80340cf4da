#pragma once

/// A result as one tidy list of values: a variable has one at every run, optimizer, recorded step and row, which
/// is that of a class or an answer group. Tables, the closing summary and `info` take their numbers from here.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rarefact/result.hpp"

namespace rarefact {

/// The numbers of a variable in one trajectory; NaN where there is none.
using Numbers = std::function<double(std::size_t record, std::size_t row)>;

/// A variable of a result, or the ratio of two.
struct Quantity {
  std::string name = {};
  std::string meaning = {};  ///< with the unit
  bool per_optimizer = true, per_step = false;
  Along along = Along::nothing;
  bool counts = true;  ///< whether a whole number may be a count, not a ratio that rounding made whole
  std::function<Numbers(const Run&, const Trajectory&)> numbers = {};  ///< empty for a text
  std::function<std::string(const Trajectory&)> text = {};             ///< empty for a number
  /// Significant digits that rounding leaves of a number; empty or NaN: all that are printed.
  std::function<Numbers(const Run&, const Trajectory&)> digits = {};
};

/// Every variable of a result: the recorded ones in their order, then those that every result has, or every one with
/// answers.
std::vector<Quantity> quantities(const Result& result);

Quantity ratio(const Quantity& above, const Quantity& below);

/// The numbers of a recorded variable, which need no description of it.
Numbers recorded_numbers(const Run& run, const Trajectory& trajectory, const std::string& name,
                         Along along = Along::nothing);

/// The digits that rounding leaves of a recorded variable: NAME_digits of it or of what it predicts, else the least
/// of all (`digits`).
Numbers recorded_digits(const Run& run, const Trajectory& trajectory, const std::string& name);

/// A number with `usual` significant digits, or where rounding left fewer, with those; "?" behind it where they are
/// fewer than 3. NaN left: all are there.
std::string number_text(double value, double left, int usual);

/// Whether any run has answers.
bool has_answers(const Result& result);

/// The last record at which none of the rows is NaN.
std::optional<std::size_t> last_record(const Numbers& numbers, std::size_t records, std::size_t rows = 1);

/// Whether a run came to its end.
bool is_finished(const Trajectory& trajectory);

/// The last record with any number in it: runs of a sweep may be of different lengths.
std::size_t end_of(const Trajectory& trajectory, const std::vector<std::int64_t>& steps);

/// Every swept key of a result, in alphabetical order.
std::vector<std::string> swept_keys(const Result& result);

/// The value of a swept key in a run, in words where the key is true or false (files hold 1 and 0); "-" where the run
/// has none.
SweptValue swept_value(const Run& run, const std::string& key);

/// A swept value for a person: numbers with 12 digits, texts as they are.
std::string swept_text(const SweptValue& value);

/// "classes.exponent = 1.5, run.push = true".
std::string parameter_text(const std::map<std::string, SweptValue>& parameters);

/// A value on an axis as tables write it: whole numbers in digits up to ten million, else the shortest form of
/// 12 digits.
std::string axis_text(const SweptValue& value);

/// Every text of the values once, with commas.
std::string axis_texts(const std::vector<SweptValue>& values);

/// Whether a value is what a user typed. Grids are computed, so 0.3 means 0.30000000000000004, too.
bool means(const SweptValue& value, const std::string& typed);

}  // namespace rarefact
