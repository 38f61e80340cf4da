#include "optim/formula/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "optim/formula/builder.hpp"

namespace rarefact::formula {

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
    if (problems_.empty()) {
      build(names_.at("direction"));
      graph_.direction = *names_.at("direction").node;
    }
    // States of which only the old value is used need a new value, too.
    while (!waiting_.empty()) {
      Meaning& state = *waiting_.back();
      waiting_.pop_back();
      build(state);
      const Node& leaf = graph_.nodes[*state.before];
      graph_.states[static_cast<std::size_t>(leaf.number)].after = *state.node;
    }
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
  const bool of_numbers = node.op->entrywise() || node.op->leaf;
  for (const int a : node.arguments) {
    if (!variable_.empty() && !of_numbers && graph_.nodes[a].varies)
      refuse(at,
             fmt::format(
                 "\"{}\" is of a singular value, which is a number: only + - * / ** and functions of numbers "
                 "are for it",
                 to_text(at)));
  }
  const int made = Simplifier(graph_, places_)(std::move(node));
  const Node& placed = graph_.nodes[made];
  if (constant(placed) && !std::isfinite(placed.number))
    refuse(at, fmt::format("\"{}\" is not a finite number", to_text(at)));
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
      return make(op::multiply, {number(-1, at), (*this)(a[0])}, at);
    case Kind::transpose:
      return make(op::transpose, {(*this)(a[0])}, at);
    case Kind::binary:
      return binary(at);
    case Kind::comparison:
      refuse(at, "a comparison is allowed only in where(x > y, a, b)");
    case Kind::lambda:
      refuse(at, "a lambda is allowed only in spectral(X, lambda s: ...)");
    case Kind::list:
    case Kind::text:
    case Kind::choice:
      break;
  }
  refuse(at, "a list is allowed only in quintic(X, [[a, b, c], ...])");
}

double Builder::constant_of(const Syntax& at, const char* what) {
  const std::optional<double> number = constant_at((*this)(at));
  if (!number)
    refuse(at, fmt::format("{} is \"{}\"; expected a number that does not change", what, to_text(at)));
  return *number;
}

std::optional<double> Builder::constant_at(int node) const {
  const Node& found = graph_.nodes[node];
  if (constant(found)) return found.number;
  if (!found.op->entrywise() || found.varies) return {};
  std::vector<double> x;
  for (const int argument : found.arguments) {
    const std::optional<double> number = constant_at(argument);
    if (!number) return {};
    x.push_back(*number);
  }
  return found.op->value(x.data(), found.number);
}

int Builder::average(const Syntax& call, double keep, double take) {
  const int x = (*this)(call.arguments[0]);
  if (graph_.nodes[x].varies)
    refuse(call, fmt::format("{} has a state, which is not allowed in a lambda", call.text));
  if (const auto found = averages_.find({x, keep, take}); found != averages_.end()) return found->second;
  const int before = new_state(to_text(call), call);
  const int kept = make(op::multiply, {number(keep, call), before}, call);
  const int taken = make(op::multiply, {number(take, call), x}, call);
  const int after = make(op::add, {kept, taken}, call);
  const Node& leaf = graph_.nodes[before];
  graph_.states[static_cast<std::size_t>(leaf.number)].after = after;
  return averages_[{x, keep, take}] = after;
}

int Builder::previous(const Syntax& call) {
  const Syntax& at = call.arguments[0];
  const auto found = names_.find(at.text);
  if (at.kind != Syntax::Kind::name || found == names_.end() || !found->second.is_state)
    refuse(at, fmt::format("prev needs a state, and \"{}\" is none", to_text(at)));
  return before(found->second, at);
}

int Builder::with_variable(const Syntax& lambda) {
  if (!variable_.empty()) refuse(lambda, "a lambda within a lambda is not allowed");
  variable_ = lambda.text;
  const int body = (*this)(lambda.arguments[0]);
  variable_.clear();
  return body;
}

int Builder::mean(int x, KeptAxis left, const Syntax& at) {
  const int total = make(op::sum, {x}, at, 0, left);
  int size = make(op::size, {x}, at, 0, left);
  return make(op::divide, {total, size}, at);
}

int Builder::binary(const Syntax& at) {
  const int x = (*this)(at.arguments[0]), y = (*this)(at.arguments[1]);
  if (at.text != "**") return make(formula::operation(at.text), {x, y}, at);
  const std::optional<double> exponent = constant_at(y);
  return exponent ? make(op::power, {x}, at, *exponent) : make(op::raise, {x, y}, at);
}

Graph graph_of(const ParameterValues& definitions, std::vector<ParameterProblem>& problems) {
  return Builder(definitions, problems).graph();
}

std::vector<bool> zero_nodes(const Graph& graph) {
  std::vector<bool> zero;
  const auto is_zero = [&](int a) { return zero[static_cast<std::size_t>(a)]; };
  for (const Node& node : graph.nodes) {
    const bool product = node.op == op::multiply && std::ranges::any_of(node.arguments, is_zero),
               quotient = node.op == op::divide && is_zero(node.arguments[0]),
               sum = (node.op == op::add || node.op == op::subtract) &&
                     std::ranges::all_of(node.arguments, is_zero);
    zero.push_back((constant(node) && node.number == 0) || product || quotient || sum);
  }
  return zero;
}

std::vector<bool> needed_nodes(const Graph& graph, bool beside_zeros) {
  std::vector<bool> needed(graph.nodes.size());
  std::vector<int> todo = {graph.direction};
  todo.insert(todo.end(), graph.factors.begin(), graph.factors.end());
  todo.insert(todo.end(), graph.divisors.begin(), graph.divisors.end());
  const std::vector<bool> zero = zero_nodes(graph);
  const auto after = [&](const State& state) { todo.push_back(state.after); };
  if (beside_zeros) std::ranges::for_each(graph.states, after);
  while (!todo.empty()) {
    const auto i = static_cast<std::size_t>(todo.back());
    todo.pop_back();
    if (needed[i] || (!beside_zeros && zero[i])) continue;
    needed[i] = true;
    const Node& node = graph.nodes[i];
    if (node.op == op::state) after(graph.states[static_cast<std::size_t>(node.number)]);
    if (!node.op->leaf) todo.insert(todo.end(), node.arguments.begin(), node.arguments.end());
  }
  return needed;
}

namespace {

/// How a value changes if the gradient changes sign, and with it W if `weights`.
enum class Parity { even, odd, neither };

Parity parity(const Node& node, const std::vector<Parity>& of_nodes, bool weights) {
  const auto count = [&](Parity which) {
    return std::ranges::count_if(node.arguments,
                                 [&](int a) { return of_nodes[static_cast<std::size_t>(a)] == which; });
  };
  if (node.op == op::gradient || node.op == op::task || (weights && node.op == op::weights))
    return Parity::odd;
  const auto odd = count(Parity::odd), neither = count(Parity::neither);
  if (node.op->leaf || odd + neither == 0) return Parity::even;
  if (neither > 0) return Parity::neither;
  if (node.op->entrywise()) {
    const auto changes = node.op->odd ? node.op->odd(odd, node.number) : std::nullopt;
    return !changes ? Parity::neither : *changes ? Parity::odd : Parity::even;
  }
  const auto sizes = {op::norm, op::largest, op::nuclear, op::spectral_norm};
  if (std::ranges::find(sizes, node.op) != sizes.end()) return Parity::even;
  return (node.op == op::product || node.op == op::inner) && odd == 2 ? Parity::even : Parity::odd;
}

bool has_odd_state(const Graph& graph, bool weights) {
  std::vector<Parity> of_states(graph.states.size(), Parity::even), of_nodes;
  for (bool changed = true; changed;) {
    changed = false;
    of_nodes.clear();
    for (const Node& node : graph.nodes)
      of_nodes.push_back(node.op == op::state ? of_states[static_cast<std::size_t>(node.number)]
                                              : parity(node, of_nodes, weights));
    for (std::size_t s = 0; s < of_states.size(); ++s) {
      const Parity after = of_nodes[static_cast<std::size_t>(graph.states[s].after)];
      if (of_states[s] == Parity::neither || after == of_states[s]) continue;
      of_states[s] = of_states[s] == Parity::even ? Parity::odd : Parity::neither;
      changed = true;
    }
  }
  const std::vector<bool> needed = needed_nodes(graph, false);
  for (std::size_t i = 0; i < needed.size(); ++i)
    if (needed[i] && graph.nodes[i].op == op::state && of_nodes[i] != Parity::even) return true;
  return false;
}

}  // namespace

bool has_momentum(const Graph& graph) {
  return has_odd_state(graph, false) || has_odd_state(graph, true);
}

bool reads(const Graph& graph, Op leaf, bool beside_zeros) {
  const std::vector<bool> needed = needed_nodes(graph, beside_zeros);
  for (std::size_t i = 0; i < needed.size(); ++i)
    if (needed[i] && graph.nodes[i].op == leaf) return true;
  return false;
}

}  // namespace rarefact::formula
