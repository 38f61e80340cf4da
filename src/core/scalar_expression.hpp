#pragma once

/// A number as an expression of named numbers, "2/p_max" or "sqrt(log(K)) * 1e-2", in the language of
/// core/syntax without matrices. Functions: sqrt, log (natural), exp, abs; min and max of two or more.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/syntax.hpp"

namespace rarefact {

/// The values of the names in an expression.
using NamedNumbers = std::map<std::string, double>;

/// An expression as a function of its named numbers, in the order of the names.
using ScalarExpression = std::function<double(const double* numbers)>;

/// Compiles a tree. Throws InputError, without a position, if it is not an expression of these numbers.
ScalarExpression scalar_expression(const Syntax& tree, const std::vector<std::string>& names);

/// The value of an expression; infinite or NaN by the rules of double arithmetic (1/0, log(-1)). Throws
/// InputError, without a position in the file, if the text is not an expression: what was found, where, and
/// what was expected.
double scalar_value(std::string_view text, const NamedNumbers& names);

}  // namespace rarefact
