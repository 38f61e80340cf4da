#pragma once

/// A number written as an expression of named numbers: "2/p_max", "sqrt(log(K)) * 1e-2".
///
/// The language is that of core/syntax without matrices. Functions: sqrt, log (natural), exp and abs of one number, min and max of two or more.

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/syntax.hpp"

namespace rarefact {

/// What the names of an expression stand for.
using NamedNumbers = std::map<std::string, double>;

/// An expression as a function of its named numbers, in the order of the names.
using ScalarExpression = std::function<double(const double* numbers)>;

/// InputError, without a place, where the tree is no expression of numbers: for an unknown name the nearest.
ScalarExpression scalar_expression(const Syntax& tree, const std::vector<std::string>& names);

/// The value of an expression; infinite or not-a-number as the arithmetic of doubles has it (1/0, log(-1)).
/// InputError, without a place, where it is none: what stands where and what is expected, or as above.
double scalar_value(std::string_view text, const NamedNumbers& names);

}  // namespace rarefact
