#pragma once

/// An expression of named numbers, compiled to be evaluated many times, in double and in 50 digits.

#include <set>

#include "core/number_operations.hpp"
#include "core/syntax.hpp"

namespace rarefact {

/// Refuses a condition where an expression needs a number; functions of claims and tables may take one. Throws
/// SyntaxError.
void refuse_condition(const Syntax& tree);

/// A sum (parsed_condition) of numbers, pi, given names and number_operators(), number_functions(),
/// where(c, a, b), and min and max of any number of values.
class NumberExpression {
 public:
  /// Throws SyntaxError: what was found and what was expected.
  NumberExpression(std::string_view text, std::vector<std::string> names);

  /// The value; `values` in the order of the names. Infinite or NaN by the rules of the operations.
  template <class Real>
  Real operator()(const Real* values) const;

  bool reads(const std::string& name) const { return read_.contains(name); }

 private:
  enum class Kind { number, pi, name, operation, choice };
  struct Instruction {
    Kind kind;
    double number = 0;
    std::size_t place = 0;  ///< of a name
    const NumberOperation* operation = nullptr;
  };

  void compile(const Syntax& tree, std::size_t depth);
  void call(const Syntax& tree, std::size_t depth);
  void operate(const NumberOperation& operation) { program_.push_back({Kind::operation, 0, 0, &operation}); }
  template <class Real>
  Real run(const Real* values, Real* top) const;

  std::vector<std::string> names_;
  std::set<std::string> read_ = {};
  std::vector<Instruction> program_ = {};  // in reverse Polish notation
  std::size_t depth_ = 0;                  // largest number of values on the stack
};

}  // namespace rarefact
