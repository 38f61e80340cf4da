#pragma once

/// What a result has to show: its variables and expressions of them, and the values of its swept keys.

#include <map>
#include <string>
#include <vector>

#include "core/syntax.hpp"
#include "metrics/query.hpp"

namespace rarefact {

/// Every variable of a result: the recorded ones in their order, then those that every result has, or every one with
/// answers.
std::vector<Quantity> quantities(const Result& result);

/// An expression of variables, one of which it may be. Precondition: those named are numbers of `all`, not of classes and of
/// answers. InputError, without a place, for what is no expression of numbers.
Quantity expression(const Syntax& tree, const std::string& typed, const std::vector<Quantity>& all);

/// A number with `usual` significant digits, or where rounding left fewer, with those; "?" behind it where they are
/// fewer than 3. NaN left: all are there.
std::string number_text(double value, double left, int usual);

/// Whether any run has answers.
bool has_answers(const Result& result);

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
bool means_any(const SweptValue& value, const std::vector<std::string>& typed);

}  // namespace rarefact
