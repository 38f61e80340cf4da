#include "verify/claim_evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/text.hpp"
#include "core/transform.hpp"
#include "experiment/keys.hpp"

namespace rarefact::claims {

namespace {

using Kind = Syntax::Kind;

using Binary = double (*)(double, double);
const std::map<std::string, Binary> operators = {
    {"+", [](double x, double y) { return x + y; }},
    {"-", [](double x, double y) { return x - y; }},
    {"*", [](double x, double y) { return x * y; }},
    {"/", [](double x, double y) { return x / y; }},
    {"**", [](double x, double y) { return std::pow(x, y); }},
    {"<", [](double x, double y) { return x < y ? 1.0 : 0.0; }},
    {">", [](double x, double y) { return x > y ? 1.0 : 0.0; }},
    {"<=", [](double x, double y) { return x < y || equal(x, y) ? 1.0 : 0.0; }},
    {">=", [](double x, double y) { return x > y || equal(x, y) ? 1.0 : 0.0; }},
    {"==", [](double x, double y) { return equal(x, y) ? 1.0 : 0.0; }},
    {"!=", [](double x, double y) { return equal(x, y) ? 0.0 : 1.0; }},
    {"and",
     [](double x, double y) {
       return x == 0 || y == 0 ? 0.0 : std::isnan(x) || std::isnan(y) ? missing : 1.0;
     }},
    {"or",
     [](double x, double y) {
       const bool either = (x != 0 && !std::isnan(x)) || (y != 0 && !std::isnan(y));
       return either ? 1.0 : std::isnan(x) || std::isnan(y) ? missing : 0.0;
     }},
};

std::optional<double> front(const std::vector<double>& x) {
  return x.front();
}

}  // namespace

Evaluator Evaluator::at(const Array& step) const {
  for (const double value : entries(step)) {
    if (std::ranges::none_of(data_.steps(), [&](auto own) { return equal(static_cast<double>(own), value); }))
      throw bad_input("no run has a record at step {:g}", value);
  }
  Evaluator other = *this;
  other.at_ = step;
  other.known_.clear();
  return other;
}

Evaluator Evaluator::where(const Array& condition) const {
  Evaluator other = *this;
  other.where_ = condition;
  other.known_.clear();
  return other;
}

void Evaluator::give(const std::string& name, double number) {
  given_[name] = number;
  known_.clear();
}

std::vector<bool> Evaluator::only(std::size_t dimension) const {
  std::vector<bool> dimensions(data_.dimensions(), false);
  dimensions[dimension] = true;
  return dimensions;
}

Array Evaluator::leaf(Array array) const {
  if (optimizer_ && array.shape[data_.optimizer()] > 1) {
    Array label = of_shape(Shape(data_.dimensions(), 1));
    label.shape[data_.optimizer()] = array.shape[data_.optimizer()];
    label.numbers.assign(array.shape[data_.optimizer()], 0);
    label.numbers[*optimizer_] = 1;
    label.there.assign(label.numbers.size(), 1);
    array = masked(array, label);
    if (array.is_text) return array;
    array = reduced(array, only(data_.optimizer()), front);
  }
  if (at_ && array.shape[data_.step()] > 1) {
    const Array step = *data_.named("step");
    const Array chosen =
        computed({&step, &*at_}, [](const double* x) { return equal(x[0], x[1]) ? 1.0 : 0.0; });
    array = reduced(masked(array, chosen), only(data_.step()), front);
  }
  return where_ ? masked(array, *where_) : array;
}

Array Evaluator::named(const std::string& name) {
  if (const auto found = given_.find(name); found != given_.end())
    return constant(data_.dimensions(), found->second);
  if (const auto found = defines_.find(name); found != defines_.end()) {
    if (const auto known = known_.find(name); known != known_.end()) return known->second;
    if (contains(within_, name)) throw bad_input("{} is defined by itself", name);
    within_.push_back(name);
    const auto& [tree, table] = found->second;
    Array value = table ? table->at(name, [&] { return (*this)(tree); }) : (*this)(tree);
    within_.pop_back();
    return known_[name] = value;
  }
  if (std::optional<Array> found = data_.named(name)) return leaf(std::move(*found));
  std::vector<std::string> names = data_.names();
  for (const auto& define : defines_) names.push_back(define.first);
  throw bad_input("unknown name \"{}\"{}", name, did_you_mean(nearest_name(name, names)));
}

Array Evaluator::chosen(const Syntax& tree) {
  const auto label = std::ranges::find(data_.labels(), tree.text);
  if (label == data_.labels().end()) {
    throw bad_input("no optimizer is named \"{}\"{}; there are: {}", tree.text,
                    did_you_mean(nearest_name(tree.text, data_.labels())), joined(data_.labels()));
  }
  Evaluator other = *this;
  other.optimizer_ = static_cast<std::size_t>(label - data_.labels().begin());
  other.known_.clear();
  Array value = other(tree.arguments[0]);
  fits_ = other.fits_;
  return value;
}

Array Evaluator::number(const Syntax& tree) {
  Array found = (*this)(tree);
  if (found.is_text)
    throw SyntaxError(tree.offset, fmt::format("\"{}\" is a text, and a number belongs here", to_text(tree)));
  return found;
}

Array Evaluator::operator()(const Syntax& tree) {
  try {
    return evaluated(tree);
  } catch (const SyntaxError&) {
    throw;
  } catch (const InputError& error) {
    if (!error.problems().front().file.empty()) throw;
    throw SyntaxError(tree.offset, error.problems().front());
  }
}

Array Evaluator::evaluated(const Syntax& tree) {
  switch (tree.kind) {
    case Kind::number:
      return constant(data_.dimensions(), tree.number);
    case Kind::text:
      return {.shape = Shape(data_.dimensions(), 1),
              .numbers = {number_of(tree.text)},
              .there = {1},
              .is_text = true};
    case Kind::name:
      return named(tree.text);
    case Kind::choice:
      return chosen(tree);
    case Kind::call:
      return called(tree);
    case Kind::negative: {
      const Array x = number(tree.arguments[0]);
      return tree.text == "not"
                 ? computed({&x}, [](const double* v) { return std::isnan(*v) ? *v
                                                               : *v == 0      ? 1.0
                                                                              : 0.0; })
                 : computed({&x}, [](const double* v) { return -*v; });
    }
    case Kind::binary:
    case Kind::comparison:
      return operation(tree);
    default:
      throw bad_input("\"{}\" is not for claims", to_text(tree));
  }
}

Array Evaluator::operation(const Syntax& tree) {
  const Array x = (*this)(tree.arguments[0]), y = (*this)(tree.arguments[1]);
  const bool equality = tree.text == "==" || tree.text == "!=", compares = tree.kind == Kind::comparison;
  if (x.is_text != y.is_text || (x.is_text && !equality))
    throw bad_input("\"{}\" compares a text with what is none, or computes with texts", to_text(tree));
  return computed({&x, &y}, [compares, f = operators.at(tree.text)](const double* v) {
    return compares && (std::isnan(v[0]) || std::isnan(v[1])) ? missing : f(v[0], v[1]);
  });
}

bool Evaluator::is_condition(const Syntax& tree, std::size_t depth) const {
  if (tree.kind == Kind::comparison || tree.text == "and" || tree.text == "or" || tree.text == "not")
    return true;
  if (tree.kind == Kind::choice) return is_condition(tree.arguments[0], depth);
  const auto define = tree.kind == Kind::name ? defines_.find(tree.text) : defines_.end();
  // Deeper than there are defines one is defined by itself, which evaluating it says.
  return define != defines_.end() && depth < defines_.size() && is_condition(define->second.tree, depth + 1);
}

Evaluator::Selection Evaluator::selection(const Syntax& call, std::size_t first, std::vector<bool> usual) {
  Selection found{.dimensions = std::vector<bool>(data_.dimensions(), false)};
  bool any = false;
  const auto take = [&](std::size_t dimension) { found.dimensions[dimension] = any = true; };
  const std::map<std::string, std::size_t> named = {
      {"class", data_.row()}, {"step", data_.step()}, {"optimizer", data_.optimizer()}};
  for (std::size_t i = first; i < call.arguments.size(); ++i) {
    const Syntax& argument = call.arguments[i];
    const std::string& word = argument.text;
    const bool name = argument.kind == Kind::name && !defines_.contains(word);
    if (name && named.contains(word)) {
      take(named.at(word));
    } else if (name && word == "point") {
      any = true;
      for (std::size_t d = 0; d < data_.dimensions(); ++d) {
        if (data_.point_axes()[d]) take(d);
      }
    } else if ((name && word == "seed") || argument.kind == Kind::text) {
      const std::optional<std::size_t> axis = data_.axis_of(word);
      if (!axis) throw bad_input("{}: the sweep has no axis {}", call.text, word);
      take(*axis);
    } else if (is_condition(argument)) {
      const Array condition = number(argument);
      found.condition = found.condition
                            ? computed({&*found.condition, &condition},
                                       [](const double* x) { return operators.at("and")(x[0], x[1]); })
                            : condition;
    } else {
      found.values.push_back(number(argument));
    }
  }
  if (!any) found.dimensions = std::move(usual);
  return found;
}

}  // namespace rarefact::claims
