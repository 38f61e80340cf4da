// Reading expressions.

#include "core/syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/algorithm/string/replace.hpp>
#include <charconv>

namespace rarefact {

namespace {

using Kind = Syntax::Kind;

/// Largest depth of nested brackets and signs; the parser calls itself for each.
constexpr int deepest = 100;
/// Largest number of operators in a text; functions that walk the tree call themselves for each.
constexpr int max_operators = 1000;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// A hint for Python operators that are not in the language.
std::string_view hint_for(char got) {
  if (got == '^') return "; a power is written **";
  return got == '.' ? "; write sign(G), not np.sign(G) or G.sign(), and G.T for the transpose" : "";
}

/// Texts of several lines are quoted in messages.
Problem on_one_line(Problem problem) {
  boost::replace_all(problem.message, "\n", "\\n");
  return problem;
}

/// Recursive-descent parser, with one function for each rule of the grammar.
class SyntaxReader {
 public:
  explicit SyntaxReader(std::string_view text, bool conditions = false)
      : text_(text), conditions_(conditions) {}

  Syntax whole() {
    Syntax tree = conditions_ ? condition() : sum();
    if (at_ < text_.size()) refuse(fmt::format("expected an operator or the end{}", hint_for(text_[at_])));
    return tree;
  }

 private:
  [[noreturn]] void refuse(const std::string& expected) const {
    const std::string got =
        at_ < text_.size() ? fmt::format("\"{}\"", text_.substr(at_)) : std::string("the end");
    const std::string after = at_ > 0 ? fmt::format(" after \"{}\"", text_.substr(0, at_)) : "";
    throw SyntaxError(at_, fmt::format("got {}{}; {}", got, after, expected));
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  /// If the sign comes next, consumes it and returns true. "*" does not match the beginning of "**".
  bool take(std::string_view sign) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(sign) || (sign == "*" && text_.substr(at_).starts_with("**")))
      return false;
    at_ += sign.size();
    skip_blanks();
    return true;
  }

  /// If the word comes next, consumes it and returns true.
  bool take_word(std::string_view word) {
    skip_blanks();
    const std::size_t end = at_ + word.size();
    return (end >= text_.size() || !(is_letter(text_[end]) || is_digit(text_[end]))) && take(word);
  }

  /// Consumes and returns the first of the signs that comes next; empty if none does.
  std::string take_one(std::initializer_list<const char*> signs) {
    for (const char* sign : signs)
      if (take(sign)) return sign;
    return "";
  }

  /// A tree of operands that are already complete, so that an exception leaves no partial tree.
  Syntax made(Kind kind, std::size_t offset, const std::string& text, Syntax first) {
    if (++operators_ > max_operators) refuse(fmt::format("expected at most {} operators", max_operators));
    Syntax tree{kind, offset, text};
    tree.arguments.push_back(std::move(first));
    return tree;
  }
  Syntax made(Kind kind, const std::string& text, Syntax first, Syntax second) {
    Syntax tree = made(kind, first.offset, text, std::move(first));
    tree.arguments.push_back(std::move(second));
    return tree;
  }

  /// A left-associative chain: an operand, then further ones as long as `next` consumes a sign.
  template <class Next, class Operand>
  Syntax chain(const Next& next, const Operand& operand) {
    Syntax tree = operand();
    for (std::string sign = next(); !sign.empty(); sign = next()) {
      Syntax right = operand();
      tree = made(Kind::binary, sign, std::move(tree), std::move(right));
    }
    return tree;
  }

  Syntax condition() {
    return words("or", [this] { return words("and", [this] { return negation(); }); });
  }

  template <class Operand>
  Syntax words(const char* word, const Operand& operand) {
    return chain([this, word] { return std::string(take_word(word) ? word : ""); }, operand);
  }

  Syntax negation() {
    if (++depth_ > deepest) refuse(fmt::format("expected at most {} nested signs and brackets", deepest));
    const std::size_t begin = at_;
    Syntax tree = take_word("not") ? made(Kind::negative, begin, "not", negation())
                                   : comparison({"<=", ">=", "==", "!=", "<", ">"});
    --depth_;
    return tree;
  }

  Syntax comparison(std::initializer_list<const char*> signs) {
    Syntax tree = sum();
    const std::string sign = take_one(signs);
    if (sign.empty()) return tree;
    Syntax right = sum();
    return made(Kind::comparison, sign, std::move(tree), std::move(right));
  }

  Syntax sum() {
    return chain([this] { return take_one({"+", "-"}); }, [this] { return product(); });
  }

  Syntax product() {
    const auto next = [this] { return conditions_ ? take_one({"*", "/"}) : take_one({"*", "/", "@"}); };
    return chain(next, [this] { return unary(); });
  }

  Syntax unary() {
    if (++depth_ > deepest) refuse(fmt::format("expected at most {} nested signs and brackets", deepest));
    skip_blanks();
    const std::size_t begin = at_;
    Syntax tree;
    if (take("-")) {
      tree = made(Kind::negative, begin, "-", unary());
    } else {
      tree = take("+") ? unary() : power();
    }
    --depth_;
    return tree;
  }

  Syntax power() {
    Syntax base = postfix();
    if (!take("**")) return base;
    Syntax exponent = unary();
    return made(Kind::binary, "**", std::move(base), std::move(exponent));
  }

  Syntax postfix() {
    Syntax tree = primary();
    while (text_.substr(at_).starts_with(".T") && (at_ + 2 == text_.size() || !is_letter(text_[at_ + 2]))) {
      take(".T");
      const std::size_t begin = tree.offset;
      tree = made(Kind::transpose, begin, ".T", std::move(tree));
    }
    return tree;
  }

  Syntax primary() {
    skip_blanks();
    if (take("(")) {
      Syntax tree = conditions_ ? condition() : sum();
      if (!take(")")) refuse("expected \")\"");
      return tree;
    }
    const char next = at_ < text_.size() ? text_[at_] : '\0';
    if (is_letter(next)) return named();
    if (conditions_ && (next == '"' || next == '\'')) return quoted();
    Syntax number{Kind::number, at_};
    if (is_digit(next) || next == '.') {
      const auto [end, error] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), number.number);
      if (error == std::errc::result_out_of_range) refuse("expected a number that a double can hold");
      if (error == std::errc()) {
        at_ = static_cast<std::size_t>(end - text_.data());
        skip_blanks();
        return number;
      }
    }
    refuse("expected a number, a name or \"(\"");
  }

  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || (at_ > begin && is_digit(text_[at_])))) ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    skip_blanks();
    return word;
  }

  Syntax quoted() {
    Syntax tree{Kind::text, at_};
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) refuse("expected the end of the text in quotes");
    tree.text = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    skip_blanks();
    return tree;
  }

  Syntax named() {
    Syntax tree = called();
    if (!conditions_ || !take("@")) return tree;
    const bool in_quotes = at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'');
    const std::string label = in_quotes ? quoted().text : name();
    if (label.empty()) refuse("expected the label of an optimizer");
    const std::size_t begin = tree.offset;
    return made(Kind::choice, begin, label, std::move(tree));
  }

  Syntax called() {
    Syntax tree{Kind::name, at_};
    tree.text = name();
    if (!take("(")) return tree;
    tree.kind = Kind::call;
    if (conditions_ && take(")")) return tree;
    do {
      tree.arguments.push_back(argument());
    } while (take(","));
    if (!take(")")) refuse("expected \",\" or \")\"");
    return tree;
  }

  Syntax argument() {
    if (++depth_ > deepest) refuse(fmt::format("expected at most {} nested brackets", deepest));
    Syntax tree = conditions_ ? condition() : list_or_lambda();
    --depth_;
    return tree;
  }

  Syntax list_or_lambda() {
    skip_blanks();
    const std::size_t begin = at_;
    if (take("[")) {
      Syntax list{Kind::list, begin};
      do {
        list.arguments.push_back(argument());
      } while (take(","));
      if (!take("]")) refuse("expected \",\" or \"]\"");
      return list;
    }
    if (text_.substr(at_).starts_with("lambda ")) {
      take("lambda");
      Syntax lambda{Kind::lambda, begin, name()};
      if (lambda.text.empty()) refuse("expected a name");
      if (!take(":")) refuse("expected \":\"");
      lambda.arguments.push_back(sum());
      return lambda;
    }
    return comparison({"<", ">"});
  }

  std::string_view text_;
  bool conditions_;
  std::size_t at_ = 0;
  int depth_ = 0, operators_ = 0;
};

}  // namespace

SyntaxError::SyntaxError(std::size_t where, Problem problem)
    : InputError({on_one_line(std::move(problem))}), offset(where) {}

Syntax parsed(std::string_view text) {
  return SyntaxReader(text).whole();
}

Syntax parsed_condition(std::string_view text) {
  return SyntaxReader(text, true).whole();
}

bool is_condition(const Syntax& tree) {
  const bool joined = tree.kind == Kind::binary && (tree.text == "and" || tree.text == "or");
  return tree.kind == Kind::comparison || joined || (tree.kind == Kind::negative && tree.text == "not");
}

std::vector<std::string> names_in(const Syntax& tree) {
  std::vector<std::string> names;
  if (tree.kind == Kind::name) names.push_back(tree.text);
  for (const Syntax& argument : tree.arguments) {
    for (std::string& name : names_in(argument))
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace rarefact
