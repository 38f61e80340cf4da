#include "query/evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "core/transform.hpp"
#include "query/functions.hpp"

namespace rarefact::query {

namespace {

using Kind = Syntax::Kind;

double both(double x, double y) {
  return x == 0 || y == 0 ? 0 : std::isnan(x) || std::isnan(y) ? missing : 1;
}

const std::map<std::string, double (*)(double, double)> operators = {
    {"+", [](double x, double y) { return x + y; }},
    {"-", [](double x, double y) { return x - y; }},
    {"*", [](double x, double y) { return x * y; }},
    {"/", [](double x, double y) { return x / y; }},
    {"**", [](double x, double y) { return std::pow(x, y); }},
    {"<", [](double x, double y) -> double { return x < y; }},
    {">", [](double x, double y) -> double { return x > y; }},
    {"<=", [](double x, double y) -> double { return x < y || equal(x, y); }},
    {">=", [](double x, double y) -> double { return x > y || equal(x, y); }},
    {"==", [](double x, double y) -> double { return equal(x, y); }},
    {"!=", [](double x, double y) -> double { return !equal(x, y); }},
    {"and", both},
    {"or", [](double x, double y) { return negated(both(negated(x), negated(y))); }},
};

/// Named numbers, the same at every point, optimizer, step and class.
class NumberFrame : public Frame {
 public:
  explicit NumberFrame(const NamedNumbers& values) : values_(values) {}

  std::optional<Array> read(const std::string& name) const override {
    const auto found = values_.find(name);
    return found == values_.end() ? std::nullopt : std::optional(number(found->second));
  }
  std::vector<std::string> names() const override {
    return mapped(values_, &NamedNumbers::value_type::first);
  }

 private:
  const NamedNumbers& values_;
};

}  // namespace

Evaluator Evaluator::at(const Array& step) const {
  for (const double value : numbers(step)) {
    if (std::ranges::none_of(frame().steps, [&](auto own) { return equal(static_cast<double>(own), value); }))
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
  other.fits_ = std::make_shared<Fits>();
  return other;
}

void Evaluator::give(const std::string& name, double number) {
  given_[name] = number;
  known_.clear();
}

Array Evaluator::leaf(Array array) const {
  const auto narrow = [&](const char* name, const std::optional<Array>& wanted, std::size_t dimension) {
    if (!wanted || array.shape[dimension] == 1) return;
    const Array place = *frame().read(name);
    array = masked(array, computed({&place, &*wanted}, [](const double* x) { return equal(x[0], x[1]); }));
    if (!array.is_text) array = reduced(array, {dimension}, [](const auto& x) { return x.front(); });
  };
  narrow("optimizer", optimizer_, frame().optimizer());
  narrow("step", at_, frame().step());
  return masked(array, where_);
}

Array Evaluator::named(const std::string& name) {
  if (const auto found = given_.find(name); found != given_.end()) return frame().number(found->second);
  if (const auto found = definitions_->find(name); found != definitions_->end()) {
    if (const auto known = known_.find(name); known != known_.end()) return known->second;
    if (std::ranges::count(within_, name) > 0) throw bad_input("{} is defined by itself", name);
    const auto& [tree, failed] = found->second;
    try {
      within_.push_back(name);
      Array value = (*this)(tree);
      within_.pop_back();
      return known_[name] = std::move(value);
    } catch (const InputError& error) {
      if (failed) failed(error);
      throw;
    }
  }
  if (std::optional<Array> found = frame().read(name)) return leaf(std::move(*found));
  std::vector<std::string> names = frame().names();
  for (const auto& row : *definitions_) names.push_back(row.first);
  if (find_row(functions_of_one(), name) != nullptr || functions().contains(name))
    throw bad_input("expected \"(\" after {}", name);
  // A short list is shown in full.
  constexpr std::size_t few = 10;
  const std::string known =
      names.size() > few ? ""
                         : "; there are " + joined(names) + ", sqrt(), log(), exp(), abs(), min(), max()";
  throw bad_input("unknown name \"{}\"{}{}", name, known, did_you_mean(nearest_name(name, names)));
}

Array Evaluator::chosen(const Syntax& tree) {
  const std::vector<std::string>& labels = frame().labels;
  if (std::ranges::count(labels, tree.text) == 0) {
    throw bad_input("no optimizer is named \"{}\"{}; there are: {}", tree.text,
                    did_you_mean(nearest_name(tree.text, labels)), joined(labels));
  }
  Evaluator other = *this;
  other.optimizer_ = frame().text(tree.text);
  other.known_.clear();
  return other(tree.arguments[0]);
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
      return frame().number(tree.number);
    case Kind::text:
      return frame().text(tree.text);
    case Kind::name:
      return named(tree.text);
    case Kind::choice:
      return chosen(tree);
    case Kind::call:
    case Kind::negative:
      return call_function(*this, tree);
    case Kind::binary:
    case Kind::comparison:
      return operation(tree);
    default:
      throw bad_input("\"{}\" is not for numbers", to_text(tree));
  }
}

Array Evaluator::operation(const Syntax& tree) {
  const Array x = (*this)(tree.arguments[0]), y = (*this)(tree.arguments[1]);
  const bool equality = tree.text == "==" || tree.text == "!=", compares = tree.kind == Kind::comparison;
  if (x.is_text != y.is_text || (x.is_text && !equality))
    throw bad_input("\"{}\" compares a text with something else, or computes with texts", to_text(tree));
  return computed({&x, &y}, [compares, f = operators.at(tree.text)](const double* v) {
    return compares && (std::isnan(v[0]) || std::isnan(v[1])) ? missing : f(v[0], v[1]);
  });
}

bool Evaluator::is_condition(const Syntax& tree, std::size_t depth) const {
  if (tree.kind == Kind::comparison || tree.text == "and" || tree.text == "or" || tree.text == "not")
    return true;
  if (tree.kind == Kind::choice) return is_condition(tree.arguments[0], depth);
  const auto found = tree.kind == Kind::name ? definitions_->find(tree.text) : definitions_->end();
  // A greater depth means that a definition refers to itself, which evaluation reports.
  return found != definitions_->end() && depth < definitions_->size() &&
         is_condition(found->second.tree, depth + 1);
}

Evaluator::Selection Evaluator::selection(const Syntax& call, std::size_t first, Dimensions usual) {
  Selection found;
  const std::map<std::string, Dimensions> named = {{"class", {frame().row()}},
                                                   {"step", {frame().step()}},
                                                   {"optimizer", {frame().optimizer()}},
                                                   {"point", frame().point_axes()}};
  bool any = false;
  for (std::size_t i = first; i < call.arguments.size(); ++i) {
    const Syntax& argument = call.arguments[i];
    const std::string& word = argument.text;
    const bool name = argument.kind == Kind::name && !definitions_->contains(word);
    if (name && named.contains(word)) {
      found.along.insert(named.at(word).begin(), named.at(word).end());
      any = true;
    } else if ((name && word == "seed") || argument.kind == Kind::text) {
      const std::optional<std::size_t> axis = frame().axis_of(word);
      if (!axis) throw bad_input("{}: the sweep has no axis {}", call.text, word);
      found.along.insert(*axis);
      any = true;
    } else {
      (is_condition(argument) ? found.conditions : found.values).push_back(number(argument));
    }
  }
  if (!any) found.along = std::move(usual);
  return found;
}

double number_value(std::string_view text, const NamedNumbers& names) {
  const NumberFrame frame(names);
  const Definitions none;
  const Array value = Evaluator(frame, none, false).number(parsed_condition(text));
  return value.entries.front().value_or(missing);
}

}  // namespace rarefact::query
