#pragma once

/// A number as an expression of named numbers, "2/p_max" or "sqrt(log(K)) * 1e-2".

#include <map>
#include <string>
#include <string_view>

namespace rarefact::query {

/// The values of the names in an expression.
using NamedNumbers = std::map<std::string, double>;

/// The value of an expression; infinite or NaN by the rules of double arithmetic (1/0, log(-1)). Throws
/// InputError, without a position in the file, if the text is not an expression of these numbers: what was
/// found, where, and what was expected.
double number_value(std::string_view text, const NamedNumbers& names);

}  // namespace rarefact::query
