#include "query/evaluate.hpp"

#include <algorithm>
#include <numbers>
#include <span>

#include "core/number_expression.hpp"
#include "core/transform.hpp"
#include "query/functions.hpp"
#include "theory/require_legal.hpp"

namespace rarefact::query {

namespace {

using Kind = Syntax::Kind;

/// Largest number of operations and calls within one another; each is a call here.
constexpr int deepest = 1500;

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
      throw NoValue(fmt::format("no run has a record at step {:g}", value));
  }
  Evaluator other = *this;
  other.at_ = step;
  other.context_.shape = step.shape;
  other.context_.step = step.entries;
  return other;
}

Evaluator Evaluator::where(const Array& condition) const {
  Evaluator other = *this;
  other.where_ = condition;
  other.known_ = std::make_shared<Known>();
  other.fits_ = std::make_shared<Fits>();
  return other;
}

Evaluator Evaluator::unchosen() const {
  if (unchosen_) return *this;
  Evaluator other = where(where_);
  other.unchosen_ = true;
  return other;
}

void Evaluator::give(const std::string& name, double number) {
  given_[name] = number;
  known_ = std::make_shared<Known>();
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
  frame().spend(array.entries.size());
  return masked(array, where_);
}

Array Evaluator::spread(Array array, const Dimensions& along) const {
  Shape shape(frame().dimensions(), 1);
  Arrays presence = {&array};
  std::vector<Array> rows;
  for (const std::size_t d : along) {
    if (array.shape[d] > 1) continue;
    shape[d] = frame().length(d);
    const char* const name = d == frame().step() ? "step" : d == frame().row() ? "row" : nullptr;
    if (name && shape[d] > 1) rows.push_back(leaf(*frame().read(name)));
  }
  if (shape == Shape(shape.size(), 1)) return array;
  rows.push_back(leaf(constant(shape, 1)));
  for (const Array& one : rows) presence.push_back(&one);
  return computed(presence, [](const double* x) { return x[0]; });
}

std::set<std::string> Evaluator::names_read(const Syntax& tree) const {
  std::set<std::string> names;
  any_part(tree, *definitions_, [&](const Syntax& part) {
    if (part.kind == Kind::name) names.insert(part.text);
    return false;
  });
  return names;
}

Array Evaluator::named(const std::string& name) {
  if (const auto found = given_.find(name); found != given_.end()) return frame().number(found->second);
  if (const auto found = definitions_->find(name); found != definitions_->end()) {
    const std::pair key(context_, name);
    if (const auto known = known_->find(key); known != known_->end()) return known->second;
    if (std::ranges::count(within_, name) > 0) throw bad_input("{} is defined by itself", name);
    const auto& [tree, failed] = found->second;
    try {
      within_.push_back(name);
      Array value = (*this)(tree);
      within_.pop_back();
      return (*known_)[key] = std::move(value);
    } catch (const InputError& error) {
      if (failed) failed(error);
      throw;
    }
  }
  if (std::optional<Array> found = frame().read(name)) {
    frame().reading(name, [this](Array array) { return leaf(std::move(array)); });
    return leaf(std::move(*found));
  }
  if (name == "pi") return frame().number(std::numbers::pi);
  std::vector<std::string> names = frame().names();
  for (const auto& row : *definitions_) names.push_back(row.first);
  if (find_row(number_functions(), name) != nullptr || functions().contains(name))
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
  other.context_.optimizer = tree.text;
  return other(tree.arguments[0]);
}

Array Evaluator::number(const Syntax& tree) {
  Array found = (*this)(tree);
  if (found.is_text)
    throw SyntaxError(tree.offset,
                      fmt::format("\"{}\" is a string, and a number belongs here", to_text(tree)));
  return found;
}

Array Evaluator::condition(const Syntax& tree) {
  Array found = number(tree);
  for (const Number& entry : found.entries)
    if (entry && !std::isnan(*entry) && *entry != 0 && *entry != 1)
      throw bad_input("expected a condition, such as x > 0; {:g} is neither true (1) nor false (0)", *entry);
  return found;
}

Array Evaluator::operator()(const Syntax& tree) {
  const int depth = depth_;
  try {
    if (depth_ == deepest) throw bad_input("more than {} operations and calls within one another", deepest);
    ++depth_;
    Array found = evaluated(tree);
    --depth_;
    frame().spend(found.entries.size());
    return found;
  } catch (const SyntaxError&) {
    throw;
  } catch (const InputError& error) {
    if (unchosen_ && error.problems().front().missing) {
      depth_ = depth;
      return {.shape = Shape(frame().dimensions(), 1), .entries = {Number()}};
    }
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
  const Array x = (*this)(tree.arguments[0]);
  const Frame::Held held(frame(), x.entries.size());
  const Array y = (*this)(tree.arguments[1]);
  const bool equality = tree.text == "==" || tree.text == "!=",
             open = unchosen_ && (numbers(x).empty() || numbers(y).empty());  // as of a key that is not there
  if (open) return computed({&x, &y}, [](const double* v) { return v[0]; });
  if (x.is_text != y.is_text || (x.is_text && !equality))
    throw bad_input("\"{}\" compares a string with something else, or computes with strings", to_text(tree));
  return computed({&x, &y}, row_named(number_operators(), tree.text, "operator").of);
}

bool Evaluator::is_condition(const Syntax& tree, std::size_t depth) const {
  if (rarefact::is_condition(tree)) return true;
  if (tree.kind == Kind::choice) return is_condition(tree.arguments[0], depth);
  const auto found = tree.kind == Kind::name ? definitions_->find(tree.text) : definitions_->end();
  // A greater depth means that a definition refers to itself, which evaluation reports.
  return found != definitions_->end() && depth < deepest_definition &&
         is_condition(found->second.tree, depth + 1);
}

Evaluator::Selection Evaluator::selection(const Syntax& call, std::size_t first, Dimensions usual) {
  Selection found;
  const std::map<std::string, Dimensions> named = {{"class", {frame().row()}},
                                                   {"step", {frame().step()}},
                                                   {"optimizer", {frame().optimizer()}},
                                                   {"point", frame().point_axes()}};
  for (std::size_t i = first; i < call.arguments.size(); ++i) {
    const Syntax& argument = call.arguments[i];
    const std::string& word = argument.text;
    const bool name = argument.kind == Kind::name && !definitions_->contains(word);
    if (name && named.contains(word)) {
      found.along.insert(named.at(word).begin(), named.at(word).end());
      found.named = true;
    } else if (name && word == "seed" && !frame().seed_axes().empty()) {
      const Dimensions seeds = frame().seed_axes();
      found.along.insert(seeds.begin(), seeds.end());
      found.named = true;
    } else if ((name && word == "seed") || argument.kind == Kind::text) {
      const std::optional<std::size_t> axis = frame().axis_of(word);
      if (!axis) throw bad_input("{}: the sweep has no axis {}", call.text, word);
      found.along.insert(*axis);
      found.named = true;
    } else {
      const bool condition = is_condition(argument);
      if (condition) found.trees.push_back(&argument);
      (condition ? found.conditions : found.values).push_back(number(argument));
    }
  }
  if (!found.named) found.along = std::move(usual);
  return found;
}

std::vector<const Syntax*> Evaluator::parts_of(const std::vector<const Syntax*>& conditions) const {
  std::vector<const Syntax*> left = conditions, parts;
  std::set<std::string> names;
  while (!left.empty()) {
    const Syntax& tree = *left.back();
    left.pop_back();
    const auto found = tree.kind == Kind::name ? definitions_->find(tree.text) : definitions_->end();
    if (found != definitions_->end()) {
      if (names.insert(tree.text).second) left.push_back(&found->second.tree);
    } else if (tree.kind == Kind::binary && tree.text == "and") {
      for (const Syntax& argument : tree.arguments) left.push_back(&argument);
    } else {
      parts.push_back(&tree);
    }
  }
  return parts;
}

bool Evaluator::reads_runs(const Syntax& tree) const {
  return std::ranges::any_of(names_read(tree), [this](const std::string& name) {
    return name != "pi" && !given_.contains(name) && !definitions_->contains(name) && !frame().is_given(name);
  });
}

bool Evaluator::names_steps(const Syntax& tree) const {
  const std::set<std::string> names = names_read(tree);
  return (names.contains("step") || names.contains("t")) && !reads_runs(tree);
}

std::optional<Array> Evaluator::lacking(const std::vector<const Syntax*>& conditions, Array array) {
  std::vector<const Syntax*> parts = parts_of(conditions);
  const auto others =
      std::ranges::stable_partition(parts, [this](const Syntax* part) { return names_steps(*part); });
  const std::span naming(parts.begin(), others.begin());
  if (naming.empty() || unchosen_) return {};
  for (const Syntax* part : others) array = masked(array, number(*part));
  Array chosen = array;
  for (const Syntax* part : naming) {
    const Array holds = number(*part);
    array = computed({&array, &holds}, [](const double* x) { return x[0]; });
    chosen = masked(chosen, holds);
  }
  const Dimensions inside = {frame().step(), frame().row()};
  const auto there = [](const std::vector<double>&) { return 1; };
  const Array all = reduced(array, inside, there), kept = reduced(chosen, inside, there);
  Array lost = without(all, kept);
  if (numbers(lost).empty()) return {};
  note_lacking(joined(mapped(std::vector(naming.rbegin(), naming.rend()),
                             [](const Syntax* part) { return to_text(*part); }),
                      " and "),
               lost);
  return lost;
}

void Evaluator::note_lacking(const std::string& what, const Array& points) {
  if (!fits_->lacked.empty() || numbers(points).empty()) return;
  fits_->lacked = what;
  fits_->lacking = points;
}

double number_value(std::string_view text, const NamedNumbers& names) {
  const NumberFrame frame(names);
  const Definitions none;
  const Syntax tree = parsed_condition(text);
  refuse_condition(tree);
  const Array value = Evaluator(frame, none, false).number(tree);
  return value.entries.front().value_or(missing);
}

}  // namespace rarefact::query
