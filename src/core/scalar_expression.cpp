#include "core/scalar_expression.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/syntax.hpp"
#include "core/text.hpp"

namespace rarefact {

namespace {

using Numbers = std::vector<double>;

struct ScalarFunction {
  std::string name;
  std::size_t least, most;  ///< how many numbers it takes
  double (*value)(const Numbers&);
};

constexpr std::size_t any_number = 1000;

const std::vector<ScalarFunction> functions = {
    {"sqrt", 1, 1, [](const Numbers& x) { return std::sqrt(x[0]); }},
    {"log", 1, 1, [](const Numbers& x) { return std::log(x[0]); }},
    {"exp", 1, 1, [](const Numbers& x) { return std::exp(x[0]); }},
    {"abs", 1, 1, [](const Numbers& x) { return std::abs(x[0]); }},
    {"min", 2, any_number, [](const Numbers& x) { return *std::ranges::min_element(x); }},
    {"max", 2, any_number, [](const Numbers& x) { return *std::ranges::max_element(x); }},
};

/// The value of a tree.
class ScalarReader {
 public:
  explicit ScalarReader(const NamedNumbers& names) : names_(names) {}

  double operator()(const Syntax& tree) const {
    using enum Syntax::Kind;
    if (tree.kind == number) return tree.number;
    if (tree.kind == name) return named(tree.text);
    Numbers x;
    for (const Syntax& one : tree.arguments) x.push_back((*this)(one));
    if (tree.kind == call) return called(tree.text, x);
    if (tree.kind == negative) return -x[0];
    if (tree.kind == binary && tree.text != "@") {
      if (tree.text == "**") return std::pow(x[0], x[1]);
      if (tree.text == "/") return x[0] / x[1];
      return tree.text == "*" ? x[0] * x[1] : tree.text == "+" ? x[0] + x[1] : x[0] - x[1];
    }
    throw bad_input("\"{}\" is not for numbers", to_text(tree));
  }

 private:
  [[noreturn]] void refuse(const std::string& word) const {
    std::vector<std::string> known, candidates;
    for (const auto& [other, value] : names_) candidates.push_back(other);
    for (const ScalarFunction& function : functions) known.push_back(function.name + "()");
    const std::string list = joined(candidates) + ", " + joined(known);
    for (const ScalarFunction& function : functions) candidates.push_back(function.name);
    throw bad_input("unknown name \"{}\"; there are {}{}", word, list,
                    did_you_mean(nearest_name(word, candidates)));
  }

  double named(const std::string& word) const {
    if (const auto found = names_.find(word); found != names_.end()) return found->second;
    if (std::ranges::find(functions, word, &ScalarFunction::name) != functions.end())
      throw bad_input("expected \"(\" after {}", word);
    refuse(word);
  }

  double called(const std::string& word, const Numbers& numbers) const {
    const auto function = std::ranges::find(functions, word, &ScalarFunction::name);
    if (function == functions.end()) refuse(word);
    if (numbers.size() < function->least || numbers.size() > function->most) {
      throw bad_input("{} takes {}, and got {}", word,
                      function->most == 1 ? "one number" : "two numbers or more", numbers.size());
    }
    return function->value(numbers);
  }

  const NamedNumbers& names_;
};

}  // namespace

double scalar_value(std::string_view text, const NamedNumbers& names) {
  return ScalarReader(names)(parsed(text));
}

}  // namespace rarefact
