#include "optim/formula/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/text.hpp"
#include "optim/formula/builder.hpp"
#include "optim/formula/simplify.hpp"

namespace rarefact::formula {

namespace {

const std::map<std::string, Op> leaf_names = {
    {"G", Op::gradient}, {"W", Op::weights}, {"T", Op::task}, {"C", Op::second_moment}, {"t", Op::step}};

}  // namespace

Builder::Builder(const ParameterValues& definitions, std::vector<ParameterProblem>& problems)
    : problems_(problems) {
  for (const auto& [key, value] : definitions.all()) {
    if (const auto* text = std::get_if<std::string>(&value)) {
      definition(key, *text);
    } else {
      name(key).constant = std::get<double>(value);
    }
  }
}

Graph Builder::graph() {
  try {
    if (problems_.empty()) graph_.direction = built(names_.at("direction"));
  } catch (const Refused&) {
  }
  if (!problems_.empty()) return std::move(graph_);
  for (const auto& [word, meaning] : names_) {
    if (!meaning.node && !meaning.used) graph_.unused.push_back(meaning.key);
  }
  return std::move(graph_);
}

int Builder::make(Node node, const Syntax& at) {
  node.text = to_text(at);
  node.key = key_;
  if (at.offset > 0 || whole_ != node.text) node.offset = at.offset;
  const bool of_numbers = entrywise(node.op) || node.op == Op::size;
  for (const int a : node.arguments) {
    if (!variable_.empty() && !of_numbers && varies(graph_, a))
      refuse(at,
             fmt::format(
                 "\"{}\" is of a singular value, which is a number: only + - * / ** and functions of numbers "
                 "are for it",
                 to_text(at)));
  }
  const int made = simplified(graph_, std::move(node));
  const Node& placed = graph_.nodes[static_cast<std::size_t>(made)];
  if (constant(placed) && !std::isfinite(placed.number))
    refuse(at, fmt::format("\"{}\" is no finite number", to_text(at)));
  return made;
}

int Builder::operator()(const Syntax& at) {
  using Kind = Syntax::Kind;
  const auto& a = at.arguments;
  switch (at.kind) {
    case Kind::number:
      return number(at.number, at);
    case Kind::name:
      return named(at);
    case Kind::call:
      return called(at);
    case Kind::negative:
      return make(Op::multiply, {number(-1, at), (*this)(a[0])}, at);
    case Kind::transpose:
      return make(Op::transpose, {(*this)(a[0])}, at);
    case Kind::binary:
      return operation(at);
    case Kind::comparison:
      refuse(at, "a comparison stands only in where(x > y, a, b)");
    case Kind::lambda:
      refuse(at, "a lambda stands only in spectral(X, lambda s: ...)");
    case Kind::list:
      break;
  }
  refuse(at, "a list stands only in quintic(X, [[a, b, c], ...])");
}

double Builder::constant_of(const Syntax& at, const char* what) {
  const Node& node = graph_.nodes[static_cast<std::size_t>((*this)(at))];
  if (!constant(node))
    refuse(at, fmt::format("{} is \"{}\"; expected a number that does not change", what, to_text(at)));
  return node.number;
}

int Builder::average(const Syntax& call, double keep, double take) {
  const int x = (*this)(call.arguments[0]);
  if (varies(graph_, x)) refuse(call, fmt::format("{} remembers, which nothing in a lambda can", call.text));
  for (const Anonymous& one : anonymous_) {
    if (one.of == x && one.keep == keep && one.take == take) return one.after;
  }
  const int before = new_state(to_text(call), call);
  const int kept = make(Op::multiply, {number(keep, call), before}, call);
  const int taken = make(Op::multiply, {number(take, call), x}, call);
  const int after = make(Op::add, {kept, taken}, call, 1);
  const Node& leaf = graph_.nodes[static_cast<std::size_t>(before)];
  graph_.states[static_cast<std::size_t>(leaf.number)].after = after;
  anonymous_.push_back({x, keep, take, after});
  return after;
}

int Builder::previous(const Syntax& call) {
  const Syntax& at = call.arguments[0];
  const auto found = names_.find(at.text);
  if (at.kind != Syntax::Kind::name || found == names_.end() || !found->second.is_state)
    refuse(at, fmt::format("prev is of a state, and \"{}\" is none", to_text(at)));
  return before(found->second, at);
}

int Builder::with_variable(const Syntax& lambda) {
  if (!variable_.empty()) refuse(lambda, "a lambda stands within a lambda");
  variable_ = lambda.text;
  const int body = (*this)(lambda.arguments[0]);
  variable_.clear();
  return body;
}

int Builder::mean(int x, Left left, const Syntax& at) {
  const int total = make(Op::sum, {x}, at, 0, left);
  int size = make(Op::size, {x}, at, 0, left);
  return make(Op::divide, {total, size}, at);
}

Builder::Meaning& Builder::name(const std::string& key) {
  const std::string word = key.substr(key.find('.') + 1);
  key_ = key;
  const bool function = find_row(function_rows(), word) != nullptr;
  if (function || leaf_names.contains(word) || word == "d_out" || word == "d_in" || word == "lambda") {
    say({}, fmt::format("'{}' means something in formulas already; choose another name", word));
  } else if (const auto found = names_.find(word); found != names_.end()) {
    say({}, fmt::format("'{}' is {} as well; choose another name", word, found->second.key));
  }
  Meaning& meaning = names_[word];
  meaning.key = key;
  return meaning;
}

void Builder::definition(const std::string& key, const std::string& text) {
  Meaning& meaning = name(key);
  meaning.is_state = key.starts_with("state.");
  try {
    meaning.tree = parsed(text);
    meaning.text = to_text(*meaning.tree);
  } catch (const SyntaxError& error) {
    key_ = key;
    say(error.offset, error.problems().front().message);
  }
}

int Builder::new_state(const std::string& word, const Syntax& at) {
  const auto place = static_cast<double>(graph_.states.size());
  const int node = make(Op::state, {}, at, place);
  graph_.nodes[static_cast<std::size_t>(node)].text = word;
  graph_.states.push_back({word, node, node});
  return node;
}

int Builder::before(Meaning& meaning, const Syntax& at) {
  if (!meaning.before) {
    meaning.before = new_state(meaning.key.substr(meaning.key.find('.') + 1), at);
    waiting_.push_back(&meaning);
  }
  return *meaning.before;
}

int Builder::built(Meaning& meaning) {
  if (meaning.node) return *meaning.node;
  const std::string word = meaning.key.substr(meaning.key.find('.') + 1);
  chain_.push_back(word);
  meaning.under_way = true;
  const auto outer_key = std::exchange(key_, meaning.key);
  const auto outer_text = std::exchange(whole_, meaning.text);
  const auto outer_variable = std::exchange(variable_, "");
  int node = (*this)(*meaning.tree);
  meaning.node = node;
  if (meaning.before) set_after(meaning);
  meaning.under_way = false;
  chain_.pop_back();
  // States whose old value alone was asked for.
  if (chain_.empty()) {
    while (!waiting_.empty()) {
      Meaning& state = *waiting_.back();
      waiting_.pop_back();
      if (!state.node) built(state);
      set_after(state);
    }
  }
  key_ = outer_key;
  whole_ = outer_text;
  variable_ = outer_variable;
  return node;
}

int Builder::named(const Syntax& at) {
  const std::string& word = at.text;
  if (!variable_.empty() && word == variable_) return make(Op::variable, {}, at);
  if (const auto leaf = leaf_names.find(word); leaf != leaf_names.end()) return make(leaf->second, {}, at);
  // The size of W is that of G.
  if (word == "d_out" || word == "d_in")
    return make(Op::size, {make(Op::gradient, {}, at)}, at, 0, word == "d_out" ? Left::columns : Left::rows);
  const auto found = names_.find(word);
  if (found == names_.end() || word == "direction") no_such(at, word);
  Meaning& meaning = found->second;
  meaning.used = true;
  if (meaning.constant) return number(*meaning.constant, at);
  // Its own update sees the value before.
  if (meaning.is_state && key_ == meaning.key) return before(meaning, at);
  if (meaning.under_way) {
    const auto begin = std::find(chain_.begin(), chain_.end(), word);
    const std::string way = joined({begin, chain_.end()}, " -> ");
    key_ = meaning.key;
    const auto state =
        std::find_if(begin, chain_.end(), [this](const std::string& one) { return names_.at(one).is_state; });
    const std::string hint = state == chain_.end()
                                 ? "a state has a value of the step before"
                                 : fmt::format("prev({}) is the value of the step before", *state);
    say({}, fmt::format("'{}' needs itself within one step ({} -> {}); {}", word, way, word, hint));
    throw Refused();
  }
  return built(meaning);
}

void Builder::no_such(const Syntax& at, const std::string& word) {
  std::vector<std::string> candidates = {"d_out", "d_in"};
  for (const auto& [leaf, op] : leaf_names) candidates.push_back(leaf);
  for (const auto& [other, meaning] : names_) {
    if (other != "direction") candidates.push_back(other);
  }
  if (find_row(function_rows(), word)) refuse(at, fmt::format("{0} is a function; expected {0}(...)", word));
  refuse(at, fmt::format("there is nothing named '{}'{}", word,
                         did_you_mean(word.size() > 1 ? nearest_name(word, candidates) : "", "")));
}

int Builder::called(const Syntax& at) {
  const Function* function = find_row(function_rows(), at.text);
  if (function == nullptr) {
    std::vector<std::string> all;
    for (const Function& one : function_rows()) all.push_back(one.name);
    refuse(at,
           fmt::format("there is no function '{}'{}", at.text, did_you_mean(nearest_name(at.text, all), "")));
  }
  const std::size_t got = at.arguments.size();
  if (got < function->least || got > function->most) {
    const std::string wanted = function->least == function->most
                                   ? fmt::format("{}", function->least)
                                   : fmt::format("{} to {}", function->least, function->most);
    refuse(at, fmt::format("{} takes {} argument{}, and got {}", at.text, wanted,
                           function->most == 1 ? "" : "s", got));
  }
  return function->make(*this, at);
}

int Builder::operation(const Syntax& at) {
  const int x = (*this)(at.arguments[0]), y = (*this)(at.arguments[1]);
  if (at.text == "+" || at.text == "-") return make(Op::add, {x, y}, at, at.text == "+" ? 1 : -1);
  if (at.text == "*") return make(Op::multiply, {x, y}, at);
  if (at.text == "/") return make(Op::divide, {x, y}, at);
  if (at.text == "@") return make(Op::product, {x, y}, at);
  const Node& exponent = graph_.nodes[static_cast<std::size_t>(y)];
  if (constant(exponent)) return make(Op::power, {x}, at, exponent.number);
  return make(Op::raise, {x, y}, at);
}

bool Node::same_value(const Node& other) const {
  return op == other.op && arguments == other.arguments && number == other.number && left == other.left &&
         polynomial.steps == other.polynomial.steps &&
         polynomial.norm_factor == other.polynomial.norm_factor &&
         polynomial.norm_offset == other.polynomial.norm_offset;
}

Graph graph_of(const ParameterValues& definitions, std::vector<ParameterProblem>& problems) {
  return Builder(definitions, problems).graph();
}

bool varies(const Graph& graph, int node) {
  const Node& here = graph.nodes[static_cast<std::size_t>(node)];
  if (here.op == Op::variable) return true;
  const auto end = here.op == Op::spectral ? here.arguments.begin() + 1 : here.arguments.end();
  return std::any_of(here.arguments.begin(), end, [&](int a) { return varies(graph, a); });
}

}  // namespace rarefact::formula
