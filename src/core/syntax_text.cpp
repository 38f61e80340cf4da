// Writing expressions.

#include <fmt/format.h>

#include "core/syntax.hpp"

namespace rarefact {

namespace {

using Kind = Syntax::Kind;

/// The precedence of an operator.
int strength(const Syntax& tree) {
  if (tree.kind == Kind::binary) {
    if (tree.text == "**") return 4;
    if (tree.text == "or") return -1;
    if (tree.text == "and") return 0;
    return tree.text == "+" || tree.text == "-" ? 1 : 2;
  }
  return tree.kind == Kind::negative ? 3 : 5;
}

void write(const Syntax& tree, std::string& out);

void write_in_brackets(const Syntax& tree, int least, std::string& out) {
  if (strength(tree) >= least) return write(tree, out);
  out += "(";
  write(tree, out);
  out += ")";
}

void write_list(const Syntax& tree, const char* open, const char* close, std::string& out) {
  out += open;
  for (std::size_t i = 0; i < tree.arguments.size(); ++i) {
    if (i > 0) out += ", ";
    write(tree.arguments[i], out);
  }
  out += close;
}

void write(const Syntax& tree, std::string& out) {
  const auto& a = tree.arguments;
  switch (tree.kind) {
    case Kind::number:
      out += fmt::format("{}", tree.number);
      return;
    case Kind::name:
      out += tree.text;
      return;
    case Kind::text:
      out += '"' + tree.text + '"';
      return;
    case Kind::choice:
      write(a[0], out);
      out += "@" + tree.text;
      return;
    case Kind::call:
      out += tree.text;
      return write_list(tree, "(", ")", out);
    case Kind::negative:
      out += tree.text == "not" ? "not " : "-";
      return write_in_brackets(a[0], 3, out);
    case Kind::transpose:
      // "2.T" would be read as the number 2. and a name.
      write_in_brackets(a[0], a[0].kind == Kind::number ? 6 : 5, out);
      out += ".T";
      return;
    case Kind::lambda:
      out += "lambda " + tree.text + ": ";
      return write(a[0], out);
    case Kind::list:
      return write_list(tree, "[", "]", out);
    case Kind::comparison:
    case Kind::binary:
      break;
  }
  // Powers associate to the right, and their exponent may have a sign.
  const int level = tree.kind == Kind::comparison ? 0 : strength(tree);
  const bool blanks = level <= 1 || tree.text == "@";
  write_in_brackets(a[0], level == 4 ? 5 : level, out);
  out += blanks ? " " + tree.text + " " : tree.text;
  write_in_brackets(a[1], level == 4 ? 3 : level + 1, out);
}

}  // namespace

std::string to_text(const Syntax& tree) {
  std::string text;
  write(tree, text);
  return text;
}

}  // namespace rarefact
