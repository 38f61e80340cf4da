#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "optim/formula/calculus_pass.hpp"
#include "optim/formula/intervals.hpp"

namespace rarefact::formula {

namespace {

/// Rounds after which intervals that still grow are taken as unbounded, and Hölder exponents that still fall as 0.
constexpr int rounds_before_widening = 3;

}  // namespace

std::vector<Trait> Calculus::run() {
  // It ends: each of the properties falls a few times for each state at most.
  for (int round = 0; problems_.empty(); ++round) {
    visit_all();
    const bool changed = update_states(round);
    if (!changed && final_) break;
    final_ = !changed;
  }
  if (problems_.empty()) check_states();
  return std::move(traits_);
}

void Calculus::visit_all() {
  for (std::size_t i = 0; i < graph_.nodes.size() && problems_.empty(); ++i) {
    Node& here = graph_.nodes[i];
    // Equal legs: Σ x·y needs no matrix of products.
    if (final_ && here.op == Op::sum && here.left == Left::number) {
      const Node& inside = node(here.arguments[0]);
      if (inside.op == Op::multiply && same_legs(of(inside.arguments[0]), of(inside.arguments[1]))) {
        here.op = Op::inner;
        here.arguments = inside.arguments;
      }
    }
    // The same as in the round before where nothing that it needs has changed.
    const bool new_here = final_ || here.op == Op::spectral || here.arguments.empty() || !visited_ ||
                          std::ranges::any_of(here.arguments, [this](int a) { return changed_[a]; });
    changed_[i] = false;
    if (!new_here) continue;
    const Trait now = trait(static_cast<int>(i));
    changed_[i] = now != traits_[i];
    traits_[i] = now;
  }
  visited_ = true;
}

bool Calculus::update_states(int round) {
  bool changed = false;
  for (std::size_t s = 0; s < states_.size(); ++s) {
    const Trait next = joined(states_[s], of(graph_.states[s].after), graph_.states[s].before, round);
    changed = changed || !same(next, states_[s]);
    states_[s] = next;
  }
  Trait step = of(graph_.direction);
  if (!step.zero)
    step.low = -infinite, step.high = infinite, step.squared = step.gram = step.gradient = false;
  const Trait weights = joined(weights_, step, graph_.direction, round);
  changed = changed || !same(weights, weights_);
  weights_ = weights;
  return changed;
}

bool Calculus::same(const Trait& a, const Trait& b) {
  return a.zero == b.zero && a.rows == b.rows && a.columns == b.columns &&
         a.answers.rotates == b.answers.rotates && a.queries.rotates == b.queries.rotates &&
         a.in_columns == b.in_columns && a.degree == b.degree && a.any_degree == b.any_degree &&
         a.low == b.low && a.high == b.high && a.hoelder == b.hoelder && a.tie == b.tie &&
         a.squared == b.squared && a.gram == b.gram && a.gradient == b.gradient;
}

Trait Calculus::joined(const Trait& old, const Trait& now, int at, int round) {
  if (now.zero) return old;
  Trait next = now;
  next.low = std::min(old.low, now.low);
  next.high = std::max(old.high, now.high);
  if (round >= rounds_before_widening) {
    if (next.low < old.low) next.low = next.low >= 0 ? 0 : -infinite;
    if (next.high > old.high) next.high = next.high <= 0 ? 0 : infinite;
  }
  if (old.zero) return next;
  if (old.rows != now.rows || old.columns != now.columns) {
    refuse(at,
           fmt::format("'{}' is {} at first and {} later", node(at).text, shape_text(old), shape_text(now)));
    return old;
  }
  lower_sides(next, old);
  lower_degree(next, old, at);
  if (next.degree && old.degree && !old.any_degree) next.degree = old.degree;  // but for rounding
  next.in_columns = std::max(old.in_columns, now.in_columns);
  next.hoelder = std::min(old.hoelder, now.hoelder);
  if (round >= rounds_before_widening && next.hoelder < old.hoelder) next.hoelder = 0;
  next.tie = old.tie || now.tie;
  next.squared = old.squared && now.squared;
  next.gram = old.gram && now.gram;
  next.gradient = old.gradient && now.gradient;
  return next;
}

void Calculus::check_states() {
  for (std::size_t s = 0; s < states_.size(); ++s) {
    const int before = graph_.states[s].before;
    if (states_[s].zero && problems_.empty())
      problems_.push_back(
          {node(before).key, {}, fmt::format("state.{} never leaves zero", graph_.states[s].name)});
  }
  // Last step's eigenvectors beside this step's.
  for (std::size_t s = 0; s < states_.size(); ++s) {
    if (states_[s].odd_rows || states_[s].odd_columns)
      refuse(graph_.states[s].after,
             "the sign of an eigenvector is arbitrary at every step: no state can remember it");
  }
  const Trait& d = of(graph_.direction);
  if (!problems_.empty()) return;
  if (d.zero || (d.low == 0 && d.high == 0))
    problems_.push_back({"direction", {}, "the direction is always zero"});
  else if (d.rows != leg::out || d.columns != leg::in)
    problems_.push_back(
        {"direction", {}, fmt::format("the direction is {}; W is d_out x d_in", shape_text(d))});
}

void Calculus::lower_degree(Trait& result, const Trait& x, int because) {
  if (x.any_degree) return;
  if (result.any_degree) {
    result.degree = x.degree;
    result.any_degree = false;
    result.degree_because = x.degree_because;
  } else if (!result.degree || !x.degree || std::abs(*result.degree - *x.degree) > 1e-12) {
    if (result.degree) result.degree_because = x.degree ? because : x.degree_because;
    result.degree.reset();
  }
}

void Calculus::leave_columns(Trait& result, const Trait& x, int i) {
  if (result.in_columns == InColumns::no) return;
  result.in_columns = InColumns::no;
  result.columns_because = x.in_columns == InColumns::no ? x.columns_because : i;
}

Trait Calculus::leaf(int rows, int columns, double degree) {
  Trait x;
  x.zero = false;
  x.rows = rows;
  x.columns = columns;
  x.in_columns = InColumns::yes;
  x.degree = degree;
  x.any_degree = false;
  x.low = -infinite;
  x.high = infinite;
  x.squared = x.gram = x.gradient = false;
  return x;
}

Trait Calculus::from(const Trait& x, std::initializer_list<const Trait*> all) {
  Trait result = x;
  result.squared = result.gram = result.gradient = false;
  for (const Trait* one : all) {
    lower_sides(result, *one);
    result.hoelder = std::min(result.hoelder, one->hoelder);
    result.tie = result.tie || one->tie;
    if (one->in_columns == InColumns::no) leave_columns(result, *one, one->columns_because);
  }
  return result;
}

Trait Calculus::trait(int i) {
  const Node& here = node(i);
  switch (here.op) {
    case Op::number: {
      Trait x = leaf(leg::one, leg::one, 0);
      x.low = x.high = here.number;
      x.any_degree = here.number == 0;
      x.norm = here.number > 0;
      return x;
    }
    case Op::variable: {
      Trait x = leaf(leg::one, leg::one, variable_degree_.value_or(0));
      if (!variable_degree_) x.degree.reset();
      x.low = 0;
      x.high = variable_high_;
      return x;
    }
    case Op::step:
    case Op::size: {
      Trait x = leaf(leg::one, leg::one, 0);
      x.low = 1;
      x.norm = true;
      return x;
    }
    case Op::gradient: {
      Trait x = leaf(leg::out, leg::in, 1);
      x.gradient = true;
      return x;
    }
    case Op::task:
      return leaf(leg::answers, leg::queries, 1);
    case Op::weights:
      return weights_;
    case Op::second_moment: {
      Trait x = leaf(leg::in, leg::in, 0);
      x.in_columns = InColumns::diagonal;
      x.gram = true;
      return x;
    }
    case Op::state: {
      Trait x = states_[static_cast<std::size_t>(here.number)];
      x.norm = false;
      return x;
    }
    default:
      break;
  }
  if (entrywise(here.op)) return entrywise_trait(i);
  if (here.op >= Op::sum && here.op <= Op::spectral_norm) return reduced(i);
  return of_matrices(i);
}

std::vector<Trait> traits_of(Graph& graph, std::vector<ParameterProblem>& problems) {
  return Calculus(graph, problems).run();
}

void take_factors(Graph& graph, const std::vector<Trait>& traits) {
  for (;;) {
    const Node& node = graph.nodes[graph.direction];
    const auto number = [&](std::size_t k) { return traits[node.arguments[k]].number(); };
    if (node.op == Op::multiply && number(0)) {
      graph.factors.push_back(node.arguments[0]);
      graph.direction = node.arguments[1];
    } else if (node.op == Op::multiply && number(1)) {
      graph.factors.push_back(node.arguments[1]);
      graph.direction = node.arguments[0];
    } else if (node.op == Op::divide && number(1)) {
      graph.divisors.push_back(node.arguments[1]);
      graph.direction = node.arguments[0];
    } else {
      return;
    }
  }
}

std::string shape_text(const Trait& trait) {
  const auto name = [](int one) -> std::string {
    static const char* const names[] = {"1", "d_out", "d_in", "answers", "queries"};
    return one < 0 ? "?" : one < leg::first_basis ? names[one] : "eigenvectors";
  };
  if (trait.number()) return "a number";
  return fmt::format("{} x {}", name(trait.rows), name(trait.columns));
}

}  // namespace rarefact::formula
