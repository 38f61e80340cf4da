#pragma once

/// Expressions of the variables of a result, for tables.

#include <memory>
#include <string>
#include <vector>

#include "core/syntax.hpp"
#include "tables/view.hpp"

namespace rarefact {

/// The names that expressions of tables can use, one run at a time: variables of the result, which must outlive it,
/// and, as in claims, numbers of the problem and keys.
struct ExpressionSource {
  explicit ExpressionSource(const Result& of) : result(of), quantities(rarefact::quantities(of)) {}

  const Result& result;
  std::vector<Quantity> quantities;  ///< every variable
};

/// An expression over a run, or a single variable; `run` has the largest number of class rows. Throws
/// InputError, without a position, if it is not an expression of numbers of a run, or joins numbers of classes
/// and of answers.
Quantity expression(const Syntax& tree, const std::string& typed,
                    const std::shared_ptr<const ExpressionSource>& source, const Run& run);

/// The names that expressions may use beside the variables.
std::vector<std::string> other_names(const ExpressionSource& source, const Run& run);

}  // namespace rarefact
