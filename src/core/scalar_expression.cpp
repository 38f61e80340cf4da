#include "core/scalar_expression.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/text.hpp"
#include "core/transform.hpp"

namespace rarefact {

namespace {

using Numbers = std::vector<double>;

struct ScalarFunction {
  std::string name;
  std::size_t least, most;  ///< bounds of the number of arguments
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

const std::map<std::string, double (*)(double, double)> operations = {
    {"+", [](double x, double y) { return x + y; }},
    {"-", [](double x, double y) { return x - y; }},
    {"*", [](double x, double y) { return x * y; }},
    {"/", [](double x, double y) { return x / y; }},
    {"**", [](double x, double y) { return std::pow(x, y); }},
};

/// Compiles a syntax tree to a function.
class ScalarReader {
 public:
  explicit ScalarReader(const std::vector<std::string>& names) : names_(names) {}

  ScalarExpression operator()(const Syntax& tree) const {
    using enum Syntax::Kind;
    if (tree.kind == number) return [x = tree.number](const double*) { return x; };
    if (tree.kind == name) return [i = index_of(tree.text)](const double* numbers) { return numbers[i]; };
    const auto a = mapped(tree.arguments, *this);
    if (tree.kind == call) {
      return [a, value = function_of(tree.text, a.size()).value](const double* numbers) {
        return value(mapped(a, [&](const ScalarExpression& x) { return x(numbers); }));
      };
    }
    if (tree.kind == negative && tree.text == "-")
      return [x = a[0]](const double* numbers) { return -x(numbers); };
    const auto operation = operations.find(tree.text);
    if (tree.kind == binary && operation != operations.end()) {
      return [x = a[0], y = a[1], value = operation->second](const double* numbers) {
        return value(x(numbers), y(numbers));
      };
    }
    throw bad_input("\"{}\" is not for numbers", to_text(tree));
  }

 private:
  [[noreturn]] void refuse(const std::string& word) const {
    std::vector<std::string> known, candidates = names_;
    for (const ScalarFunction& function : functions) known.push_back(function.name + "()");
    const std::string list = joined(candidates) + ", " + joined(known);
    for (const ScalarFunction& function : functions) candidates.push_back(function.name);
    throw bad_input("unknown name \"{}\"; there are {}{}", word, list,
                    did_you_mean(nearest_name(word, candidates)));
  }

  std::size_t index_of(const std::string& word) const {
    const auto found = std::ranges::find(names_, word);
    if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
    if (std::ranges::find(functions, word, &ScalarFunction::name) != functions.end())
      throw bad_input("expected \"(\" after {}", word);
    refuse(word);
  }

  const ScalarFunction& function_of(const std::string& word, std::size_t numbers) const {
    const auto function = std::ranges::find(functions, word, &ScalarFunction::name);
    if (function == functions.end()) refuse(word);
    if (numbers < function->least || numbers > function->most) {
      throw bad_input("{} takes {}, and got {}", word,
                      function->most == 1 ? "one number" : "two numbers or more", numbers);
    }
    return *function;
  }

  const std::vector<std::string>& names_;
};

}  // namespace

ScalarExpression scalar_expression(const Syntax& tree, const std::vector<std::string>& names) {
  return ScalarReader(names)(tree);
}

double scalar_value(std::string_view text, const NamedNumbers& names) {
  std::vector<double> numbers;
  std::vector<std::string> words;
  for (const auto& [name, number] : names) {
    words.push_back(name);
    numbers.push_back(number);
  }
  return scalar_expression(parsed(text), words)(numbers.data());
}

}  // namespace rarefact
