#pragma once

/// Expressions as trees: a subset of Python's, with Python's precedence.
///
///     sum      = product { ("+" | "-") product }
///     product  = unary { ("*" | "/" | "@") unary }
///     unary    = ("-" | "+") unary | power
///     power    = postfix [ "**" unary ]
///     postfix  = primary { ".T" }
///     primary  = number | name [ "(" argument { "," argument } ")" ] | "(" sum ")"
///     argument = sum [ ("<" | ">") sum ] | "lambda" name ":" sum | "[" argument { "," argument } "]"
///
/// What a name, a function or an operator means is not known here.

#include <string>
#include <string_view>
#include <vector>

#include "rarefact/error.hpp"

namespace rarefact {

struct Syntax {
  enum class Kind { number, name, call, negative, binary, transpose, comparison, lambda, list, text, choice };
  Kind kind = Kind::number;
  std::size_t offset = 0;  ///< byte of the text at which it begins
  std::string text =
      {};  ///< of a name or a call its name, of a lambda that of its variable, of a text its letters, of a choice the label;
           ///< else the operator
  double number = 0;
  std::vector<Syntax> arguments = {};
};

/// A text that is no expression: what stands where, and what is expected.
class SyntaxError : public InputError {
 public:
  SyntaxError(std::size_t where, std::string message) : InputError(std::move(message)), offset(where) {}
  std::size_t offset;
};

/// The tree of a text. SyntaxError.
Syntax parsed(std::string_view text);

/// The tree of a condition, of which a sum is one: in claims and tables, where "@" binds a label to the name before it.
///
///     condition  = both { "or" both }
///     both       = negation { "and" negation }
///     negation   = "not" negation | comparison
///     comparison = sum [ ("<" | ">" | "<=" | ">=" | "==" | "!=") sum ]
///     primary    = number | text in quotes | "(" condition ")" | name [ "(" [ condition { "," condition } ] ")" ] [ "@" label ]
///
/// SyntaxError.
Syntax parsed_condition(std::string_view text);

/// The names that are no functions, each once, in the order in which they are met.
std::vector<std::string> names_in(const Syntax& tree);

/// The text of a tree in one form: whatever was typed, equal trees have equal texts.
std::string to_text(const Syntax& tree);

}  // namespace rarefact
