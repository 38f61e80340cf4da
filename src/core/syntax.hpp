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
/// The meaning of names, functions and operators is defined elsewhere.

#include <string_view>

#include "rarefact/error.hpp"

namespace rarefact {

struct Syntax {
  enum class Kind { number, name, call, negative, binary, transpose, comparison, lambda, list, text, choice };
  Kind kind = Kind::number;
  std::size_t offset = 0;  ///< byte of the text where it begins
  std::string text =
      {};  ///< name of a name or call, variable of a lambda, contents of a text, label of a choice;
           ///< otherwise the operator
  double number = 0;
  std::vector<Syntax> arguments = {};
};

/// The text is not an expression, or not a legal one here; the message, on one line, says what was found and expected.
class SyntaxError : public InputError {
 public:
  SyntaxError(std::size_t where, std::string message)
      : SyntaxError(where, Problem{.message = std::move(message)}) {}
  SyntaxError(std::size_t where, Problem problem);
  std::size_t offset;
};

/// Parses a text. Throws SyntaxError.
Syntax parsed(std::string_view text);

/// Parses a condition, as in claims and tables, or a sum. "@" attaches a label to the name before it.
///
///     condition  = both { "or" both }
///     both       = negation { "and" negation }
///     negation   = "not" negation | comparison
///     comparison = sum [ ("<" | ">" | "<=" | ">=" | "==" | "!=") sum ]
///     primary    = number | text in quotes | "(" condition ")" | name [ "(" [ condition { "," condition } ] ")" ] [ "@" label ]
///
/// Throws SyntaxError.
Syntax parsed_condition(std::string_view text);

/// True for a comparison, and for what and, or and not make of several.
bool is_condition(const Syntax& tree);

/// The names except those of functions, without repetition, in the order of appearance.
std::vector<std::string> names_in(const Syntax& tree);

/// A tree as canonical text: equal trees have equal texts, however they were typed.
std::string to_text(const Syntax& tree);

}  // namespace rarefact
