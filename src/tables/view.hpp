#pragma once

/// Views of a result: its variables and the values of its swept keys.

#include <cstdint>
#include <map>
#include <memory>

#include "core/syntax.hpp"
#include "tables/run_query.hpp"

namespace rarefact {

/// Every variable of a result: the recorded ones in order, then those of every result, or of every one with answers.
std::vector<Quantity> quantities(const Result& result);

/// Every swept key of a result, in alphabetical order.
std::vector<std::string> swept_keys(const Result& result);

/// The value of a swept key in a run, true and false in words (files have 1 and 0); "-" if the run has none.
SweptValue swept_value(const Run& run, const std::string& key);

/// "classes.exponent = 1.5, run.push = true".
std::string parameter_text(const std::map<std::string, SweptValue>& parameters);

/// A swept value as text: whole numbers up to ten million in full, otherwise the shortest form with 12 digits.
std::string axis_text(const SweptValue& value);

/// The texts of the values, without repetition.
std::vector<std::string> axis_texts(const std::vector<SweptValue>& values);

/// True if a value matches a typed text. Grids are computed, so 0.3 also matches 0.30000000000000004.
bool means(const SweptValue& value, const std::string& typed);
bool means_any(const SweptValue& value, const std::vector<std::string>& typed);

/// The names that expressions of tables can use, one run at a time: variables of the result, which must outlive it, numbers
/// of the problem, and keys.
struct ExpressionSource {
  explicit ExpressionSource(const Result& of);

  /// The steps that a run recorded: of a sweep of run.steps or run.record, not those of the whole result.
  const std::vector<std::int64_t>& steps_of(const Run& run) const;

  const Result& result;
  std::vector<Quantity> quantities;  ///< every variable

 private:
  std::map<std::int64_t, std::vector<std::int64_t>> steps_ = {};  ///< by index of the run, of those known
};

/// An expression over a run with the largest number of class rows. Throws InputError, without a position, if it is not one
/// of numbers of a run, or joins numbers of classes and of answers.
Quantity expression(const Syntax& tree, const std::string& typed,
                    const std::shared_ptr<const ExpressionSource>& source, const Run& run);

/// The names that expressions may use beside the variables.
std::vector<std::string> other_names(const ExpressionSource& source, const Run& run);

}  // namespace rarefact
