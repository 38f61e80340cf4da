#pragma once

/// A number written as an expression of named numbers: "2/p_max", "sqrt(log(K)) * 1e-2".
///
/// The language is that of core/syntax without matrices. Functions: sqrt, log (natural), exp and abs of one number, min and max of two or more.

#include <map>
#include <string>
#include <string_view>

namespace rarefact {

/// What the names of an expression stand for.
using NamedNumbers = std::map<std::string, double>;

/// The value of an expression; infinite or not-a-number as the arithmetic of doubles has it (1/0, log(-1)).
/// InputError, without a place, where it is no expression: what stands where, what is expected, and for an unknown
/// name the nearest.
double scalar_value(std::string_view text, const NamedNumbers& names);

}  // namespace rarefact
