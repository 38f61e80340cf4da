#include "verify/claim_evaluate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "experiment/keys.hpp"

namespace rarefact::claims {

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

}  // namespace

Evaluator Evaluator::at(const Array& step) const {
  for (const double value : numbers(step)) {
    if (data().rehearsal() && std::isnan(value)) continue;
    if (std::ranges::none_of(data().steps(),
                             [&](auto own) { return equal(static_cast<double>(own), value); }))
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
    const Array place = *data().named(name);
    array = masked(array, computed({&place, &*wanted}, [](const double* x) { return equal(x[0], x[1]); }));
    if (!array.is_text) array = reduced(array, {dimension}, [](const auto& x) { return x.front(); });
  };
  narrow("optimizer", optimizer_, data().optimizer());
  narrow("step", at_, data().step());
  return masked(array, where_);
}

Array Evaluator::named(const std::string& name) {
  if (const auto found = given_.find(name); found != given_.end()) return data().number(found->second);
  if (const auto found = defines_->find(name); found != defines_->end()) {
    if (const auto known = known_.find(name); known != known_.end()) return known->second;
    if (contains(within_, name)) throw bad_input("{} is defined by itself", name);
    within_.push_back(name);
    const auto& [tree, table] = found->second;
    Array value = table.at(name, [&, &tree = tree] { return (*this)(tree); });
    within_.pop_back();
    return known_[name] = value;
  }
  if (std::optional<Array> found = data().named(name)) return leaf(std::move(*found));
  std::vector<std::string> names = data().names();
  for (const auto& define : *defines_) names.push_back(define.first);
  throw bad_input("unknown name \"{}\"{}", name, did_you_mean(nearest_name(name, names)));
}

Array Evaluator::chosen(const Syntax& tree) {
  const std::vector<std::string>& labels = data().labels();
  if (!contains(labels, tree.text)) {
    throw bad_input("no optimizer is named \"{}\"{}; there are: {}", tree.text,
                    did_you_mean(nearest_name(tree.text, labels)), joined(labels));
  }
  Evaluator other = *this;
  other.optimizer_ = data().text(tree.text);
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
      return data().number(tree.number);
    case Kind::text:
      return data().text(tree.text);
    case Kind::name:
      return named(tree.text);
    case Kind::choice:
      return chosen(tree);
    case Kind::call:
    case Kind::negative:
      return called(tree);
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
    throw bad_input("\"{}\" compares a text with something else, or computes with texts", to_text(tree));
  return computed({&x, &y}, [compares, f = operators.at(tree.text)](const double* v) {
    return compares && (std::isnan(v[0]) || std::isnan(v[1])) ? missing : f(v[0], v[1]);
  });
}

bool Evaluator::is_condition(const Syntax& tree, std::size_t depth) const {
  if (tree.kind == Kind::comparison || tree.text == "and" || tree.text == "or" || tree.text == "not")
    return true;
  if (tree.kind == Kind::choice) return is_condition(tree.arguments[0], depth);
  const auto define = tree.kind == Kind::name ? defines_->find(tree.text) : defines_->end();
  // A greater depth means that a definition refers to itself, which evaluation reports.
  return define != defines_->end() && depth < defines_->size() &&
         is_condition(define->second.tree, depth + 1);
}

Evaluator::Selection Evaluator::selection(const Syntax& call, std::size_t first, Dimensions usual) {
  Selection found;
  const std::map<std::string, Dimensions> named = {{"class", {data().row()}},
                                                   {"step", {data().step()}},
                                                   {"optimizer", {data().optimizer()}},
                                                   {"point", data().point_axes()}};
  bool any = false;
  for (std::size_t i = first; i < call.arguments.size(); ++i) {
    const Syntax& argument = call.arguments[i];
    const std::string& word = argument.text;
    const bool name = argument.kind == Kind::name && !defines_->contains(word);
    if (name && named.contains(word)) {
      found.along.insert(named.at(word).begin(), named.at(word).end());
      any = true;
    } else if ((name && word == "seed") || argument.kind == Kind::text) {
      const std::optional<std::size_t> axis = data().axis_of(word);
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

}  // namespace rarefact::claims
