#pragma once

/// Operators and functions of numbers, in double and in 50 digits. A finite result of infinite arguments, as x/inf =
/// 0, is NaN.

#include "core/real50.hpp"
#include "core/text.hpp"

namespace rarefact {

struct NumberOperation {
  std::string name;   ///< "+", "<=", "sqrt"; unary "-" and "not" cannot be called by name
  std::size_t arity;  ///< numbers that it takes
  double (*of)(const double* x);
  Real50 (*of50)(const Real50* x);

  /// From a generic lambda [](const auto* x) that captures nothing.
  template <class F>
  NumberOperation(std::string called, std::size_t count, F f)
      : name(std::move(called)), arity(count), of(f), of50(f) {}

  double operator()(const double* x) const { return of(x); }
  Real50 operator()(const Real50* x) const { return of50(x); }
};

/// + - * / ** < > <= >= == != and or.
const std::vector<NumberOperation>& number_operators();
/// Functions of single numbers: of one (sqrt, log, exp ..., "-", "not") and of two (minimum, maximum).
const std::vector<NumberOperation>& number_functions();

/// A hint for an unknown function: the nearest name, or how to write what was meant.
Hint function_hint(const std::string& name, const std::vector<std::string>& functions);

/// A condition: 0 or 1; NaN for NaN and infinities.
double truth(double x);
/// True if equal to 1e-12; infinities equal nothing.
bool equal(double x, double y);

/// cos x in 50 digits of 1.
Real50 cos(const Real50& x);

}  // namespace rarefact
