#include <fmt/format.h>

#include <cmath>
#include <set>

#include "optim/formula/calculus_pass.hpp"

namespace rarefact::formula {

namespace {

/// After this many rounds, intervals that still grow become unbounded, and falling Hölder exponents 0.
constexpr int rounds_before_widening = 3;

}  // namespace

std::vector<Trait> Calculus::run() {
  // Terminates, because each property of a state can decrease only a few times.
  for (int round = 0; problems_.empty(); ++round) {
    visit_all();
    bool changed = update_states(round);
    if (!changed && weights_.zero) {
      graph_.needs_start = changed = true;
      weights_ = leaf(axis::out, axis::in, 0);
    }
    if (!changed && final_) break;
    final_ = !changed;
  }
  if (problems_.empty()) check_states();
  return std::move(traits_);
}

void Calculus::visit_all() {
  for (std::size_t i = 0; i < graph_.nodes.size() && problems_.empty(); ++i) {
    Node& here = graph_.nodes[i];
    // With equal axes, Σ x·y needs no matrix of products.
    if (final_ && here.op == op::sum && here.left == KeptAxis::number) {
      const Node& inside = node(here.arguments[0]);
      if (inside.op == op::multiply && same_axes(of(inside.arguments[0]), of(inside.arguments[1]))) {
        here.op = op::inner;
        here.arguments = inside.arguments;
      }
    }
    // Unchanged since the last round if no argument has changed.
    const bool new_here = final_ || here.op == op::spectral || here.arguments.empty() || !visited_ ||
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
    changed = changed || next != states_[s];
    states_[s] = next;
  }
  Trait step = of(graph_.direction);
  if (!step.zero) {
    step.rows = axis::out, step.columns = axis::in;
    step.low = -infinite, step.high = infinite, step.squared = step.gram = step.gradient = false;
  }
  const Trait weights = joined(weights_, step, graph_.direction, round);
  changed = changed || weights != weights_;
  weights_ = weights;
  return changed;
}

Trait Calculus::joined(const Trait& old, const Trait& now, int at, int round) {
  if (now.zero) return old;
  Trait next = now;
  next.low = std::min(old.low, now.low);
  next.high = std::max(old.high, now.high);
  next.part = unbounded;
  if (round >= rounds_before_widening) {
    if (next.low < old.low) next.low = next.low >= 0 ? 0 : -infinite;
    if (next.high > old.high) next.high = next.high <= 0 ? 0 : infinite;
  }
  if (old.zero) return next;
  const auto wider = [](int a, int b) { return a == axis::single ? b : a; };
  next.rows = wider(old.rows, now.rows), next.columns = wider(old.columns, now.columns);
  if (wider(now.rows, old.rows) != next.rows || wider(now.columns, old.columns) != next.columns ||
      (final_ && (old.rows != now.rows || old.columns != now.columns))) {
    refuse(at,
           fmt::format("'{}' is {} at first and {} later", node(at).text, shape_text(old), shape_text(now)));
    return old;
  }
  lower_sides(next, old);
  next.degree.join(old.degree, at);
  if (next.degree && old.degree && !old.degree.any) next.degree.emplace(*old.degree);  // equal up to rounding
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
          {node(before).key, fmt::format("state.{} never leaves zero", graph_.states[s].name)});
  }
  // Eigenvectors of the last step must not be combined with those of this step.
  for (std::size_t s = 0; s < states_.size(); ++s) {
    if (states_[s].odd_rows || states_[s].odd_columns)
      refuse(graph_.states[s].after,
             "the sign of an eigenvector is arbitrary at every step: no state can remember it");
  }
  const Trait& d = of(graph_.direction);
  if (!problems_.empty()) return;
  if (d.zero || (d.low == 0 && d.high == 0))
    problems_.push_back({"direction", "the direction is always zero"});
  else if (d.rows != axis::out || d.columns != axis::in)
    problems_.push_back({"direction", fmt::format("the direction is {}; W is d_out x d_in", shape_text(d))});
}

Degree Degree::with(const Degree& other, int sign) const {
  if (any || (sign > 0 && other.any)) return {};
  if (!*this || !other) return Degree(std::nullopt, *this ? other.because : because);
  return Degree(**this + (other.any ? 0 : sign * *other));
}

void Degree::join(const Degree& other, int i) {
  if (other.any) return;
  if (any) {
    *this = other;
  } else if (!*this || !other || std::abs(**this - *other) > 1e-12) {
    if (*this) because = other ? Because(i) : other.because;
    reset();
  }
}

void Calculus::leave_columns(Trait& result, const Trait& x, Because i) {
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
  x.degree = Degree(degree);
  x.low = -infinite;
  x.high = infinite;
  x.squared = x.gram = x.gradient = false;
  return x;
}

Trait Calculus::from(const Trait& x, std::initializer_list<const Trait*> all) {
  Trait result = x;
  result.part = unbounded;
  result.squared = result.gram = result.gradient = false;
  for (const Trait* trait : all) {
    lower_sides(result, *trait);
    result.hoelder = std::min(result.hoelder, trait->hoelder);
    result.tie = result.tie || trait->tie;
    if (trait->in_columns == InColumns::no) leave_columns(result, *trait, trait->columns_because);
  }
  return result;
}

Trait Calculus::variable() const {
  Trait x = leaf(axis::single, axis::single, 0);
  x.degree = Degree(variable_degree_);
  x.low = 0;
  x.high = variable_high_;
  return x;
}

Trait Calculus::trait(int i) {
  const Node& here = node(i);
  if (here.op->entrywise()) return entrywise_trait(i);
  const auto zero = [this](int a) { return of(a).zero && !node(a).varies; };
  if (!here.op->leaf && std::ranges::any_of(here.arguments, zero)) return {};
  return here.op->trait(*this, i);
}

void Calculus::require_matrix(int i) {
  if (!argument(i).matrix()) refuse(i, fmt::format("{} is {}, no matrix", text(i), shape_text(argument(i))));
}

Trait Calculus::reduced(int i, const Trait& x, const Trait& y) {
  const KeptAxis left = node(i).left;
  Trait result = from(x, {&y});
  result.rows = left == KeptAxis::rows ? x.rows : axis::single;
  result.columns = left == KeptAxis::columns ? x.columns : axis::single;
  if (left == KeptAxis::rows && !x.number()) leave_columns(result, x, i);
  if (left == KeptAxis::columns && x.in_columns == InColumns::diagonal) result.in_columns = InColumns::yes;
  if (left == KeptAxis::number && x.in_columns != InColumns::no && y.in_columns == x.in_columns)
    result.in_columns = InColumns::yes;
  result.low = x.low >= 0 && y.low >= 0 ? 0 : -infinite;
  result.high = infinite;
  result.odd_rows = result.odd_columns = result.norm = false;
  return result;
}

Trait Calculus::spectral(int i, const Trait& x) {
  require_matrix(i);
  Trait result = from(x, {});
  result.low = -infinite, result.high = infinite;
  if (result.in_columns != InColumns::diagonal) leave_columns(result, x, i);
  result.gradient = x.gradient && !x.gram;  // singular values of zero stay zero
  return result;
}

Trait Calculus::of_spectral(int f, const Trait& x) {
  std::set<int> body = {f};  // nodes that depend on the variable
  for (auto i = body.rbegin(); i != body.rend(); ++i) {
    for (const int a : node(*i).arguments)
      if (node(a).varies) body.insert(a);
  }
  const auto of_body = [&](std::optional<double> degree, double largest) {
    variable_degree_ = degree;
    variable_high_ = largest;
    for (const int i : body) traits_[i] = trait(i);
    return of(f);
  };
  Trait result = of_body(x.degree, infinite);
  // Zero singular values stay zero, so f is discontinuous there unless f(0) = 0.
  const Trait at_zero = of_body(x.degree, 0);
  if (at_zero.low != 0 || at_zero.high != 0) result.hoelder = 0;
  of_body(1, infinite);
  if (!result.zero && !result.number())
    refuse(f,
           fmt::format("{} is {}, not a number for each singular value", node(f).text, shape_text(result)));
  return result;
}

std::vector<Trait> traits_of(Graph& graph, std::vector<ParameterProblem>& problems) {
  return Calculus(graph, problems).run();
}

void take_factors(Graph& graph, const std::vector<Trait>& traits) {
  for (;;) {
    const Node& node = graph.nodes[graph.direction];
    const auto number = [&](std::size_t k) { return traits[node.arguments[k]].number(); };
    if (node.op == op::multiply && number(0)) {
      graph.factors.push_back(node.arguments[0]);
      graph.direction = node.arguments[1];
    } else if (node.op == op::multiply && number(1)) {
      graph.factors.push_back(node.arguments[1]);
      graph.direction = node.arguments[0];
    } else if (node.op == op::divide && number(1)) {
      graph.divisors.push_back(node.arguments[1]);
      graph.direction = node.arguments[0];
    } else {
      return;
    }
  }
}

std::string shape_text(const Trait& trait) {
  const auto name = [](int single) -> std::string {
    static const char* const names[] = {"1", "d_out", "d_in", "answers", "queries"};
    return single < 0 ? "?" : single < axis::first_basis ? names[single] : "eigenvectors";
  };
  if (trait.number()) return "a number";
  return fmt::format("{} x {}", name(trait.rows), name(trait.columns));
}

}  // namespace rarefact::formula
