#include "core/scalar_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <vector>

#include "core/text.hpp"
#include "rarefact/error.hpp"

namespace rarefact {

namespace {

/// Brackets and signs within one another: the reader calls itself for each.
constexpr int deepest = 100;

using Numbers = std::vector<double>;

struct Function {
  std::string name;
  std::size_t least, most;  ///< how many numbers it takes
  double (*value)(const Numbers&);
};

constexpr std::size_t any_number = 1000;

const std::vector<Function> functions = {
    {"sqrt", 1, 1, [](const Numbers& x) { return std::sqrt(x[0]); }},
    {"log", 1, 1, [](const Numbers& x) { return std::log(x[0]); }},
    {"exp", 1, 1, [](const Numbers& x) { return std::exp(x[0]); }},
    {"abs", 1, 1, [](const Numbers& x) { return std::abs(x[0]); }},
    {"min", 2, any_number, [](const Numbers& x) { return *std::ranges::min_element(x); }},
    {"max", 2, any_number, [](const Numbers& x) { return *std::ranges::max_element(x); }},
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// One pass from left to right: a value for each rule of the grammar.
class Reader {
 public:
  Reader(std::string_view text, const NamedNumbers& names) : text_(text), names_(names) {}

  double whole() {
    const double value = sum();
    if (at_ < text_.size()) refuse("expected an operator or the end");
    return value;
  }

 private:
  [[noreturn]] void refuse(const std::string& expected) const {
    const std::string got =
        at_ < text_.size() ? fmt::format("\"{}\"", text_.substr(at_)) : std::string("the end");
    throw InputError(fmt::format("got {} after \"{}\"; {}", got, text_.substr(0, at_), expected));
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  /// Whether the sign is next, which is then behind us. "*" is not the beginning of "**".
  bool take(std::string_view sign) {
    skip_blanks();
    if (!text_.substr(at_).starts_with(sign) || (sign == "*" && text_.substr(at_).starts_with("**")))
      return false;
    at_ += sign.size();
    skip_blanks();
    return true;
  }

  double sum() {
    double value = product();
    for (;;) {
      if (take("+")) {
        value += product();
      } else if (take("-")) {
        value -= product();
      } else {
        return value;
      }
    }
  }

  double product() {
    double value = unary();
    for (;;) {
      if (take("*")) {
        value *= unary();
      } else if (take("/")) {
        value /= unary();
      } else {
        return value;
      }
    }
  }

  double unary() {
    if (++depth_ > deepest)
      refuse(fmt::format("expected at most {} signs and brackets in one another", deepest));
    const double value = take("-") ? -unary() : take("+") ? unary() : power();
    --depth_;
    return value;
  }

  double power() {
    const double base = primary();
    return take("**") ? std::pow(base, unary()) : base;
  }

  double primary() {
    skip_blanks();
    if (take("(")) {
      const double value = sum();
      if (!take(")")) refuse("expected \")\"");
      return value;
    }
    const char next = at_ < text_.size() ? text_[at_] : '\0';
    if (is_letter(next)) return named();
    double value = 0;
    if (is_digit(next) || next == '.') {
      const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
      if (error == std::errc()) {
        at_ = static_cast<std::size_t>(end - text_.data());
        skip_blanks();
        return value;
      }
    }
    refuse("expected a number, a name or \"(\"");
  }

  double named() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string name(text_.substr(begin, at_ - begin));
    skip_blanks();
    std::vector<std::string> known;
    for (const Function& function : functions) {
      if (function.name == name) return called(function);
      known.push_back(function.name + "()");
    }
    if (const auto found = names_.find(name); found != names_.end()) return found->second;
    std::vector<std::string> candidates;
    for (const auto& [other, value] : names_) candidates.push_back(other);
    const std::string list = joined(candidates) + ", " + joined(known);
    for (const Function& function : functions) candidates.push_back(function.name);
    throw InputError(fmt::format("unknown name \"{}\"; there are {}{}", name, list,
                                 did_you_mean(nearest_name(name, candidates))));
  }

  double called(const Function& function) {
    if (!take("(")) refuse(fmt::format("expected \"(\" after {}", function.name));
    Numbers numbers = {sum()};
    while (take(",")) numbers.push_back(sum());
    if (!take(")")) refuse("expected \",\" or \")\"");
    if (numbers.size() < function.least || numbers.size() > function.most) {
      throw InputError(fmt::format("{} takes {}, and got {}", function.name,
                                   function.most == 1 ? "one number" : "two numbers or more",
                                   numbers.size()));
    }
    return function.value(numbers);
  }

  std::string_view text_;
  const NamedNumbers& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

double scalar_value(std::string_view text, const NamedNumbers& names) {
  return Reader(text, names).whole();
}

}  // namespace rarefact
