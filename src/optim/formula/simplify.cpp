#include <algorithm>
#include <cmath>
#include <limits>

#include "optim/formula/graph.hpp"

namespace rarefact::formula {

namespace {

/// a + b less its rounded value, by the two-sum of Knuth.
double rounding_of_sum(double a, double b) {
  const double sum = a + b, of_b = sum - a;
  return std::isfinite(sum) ? (a - (sum - of_b)) + (b - of_b) : 0;
}

/// Adds the factors of node i to `over` and its divisors to `under`. The beginning of a long chain is one factor.
void add_factors(const Simplifier& simplify, int i, std::vector<int>& over, std::vector<int>& under) {
  constexpr std::size_t many = 32;
  const Node& x = simplify.at(i);
  if ((x.op != op::multiply && x.op != op::divide) || over.size() + under.size() >= many)
    return over.push_back(i);
  add_factors(simplify, x.arguments[1], x.op == op::multiply ? over : under,
              x.op == op::multiply ? under : over);
  add_factors(simplify, x.arguments[0], over, under);
}

/// True if dividing by node i does not change the proportions of entries, as far as its operation shows.
bool divides_alike(const Simplifier& simplify, int i) {
  const Node& x = simplify.at(i);
  return simplify.is_constant(i) || x.op == op::size || x.op->name == "step" || x.op->name == "steps" ||
         (x.op == op::norm && x.left == KeptAxis::number);
}

/// (x y) x as y x², of which the calculus knows the sign; nullopt if the two arguments share no factor, or if an entry
/// of x² may underflow beside the others where that of x²/|x| does not.
std::optional<int> square_inside(Simplifier& simplify, const Node& node) {
  std::vector<int> over, under, other;
  add_factors(simplify, node.arguments[0], other, under);
  add_factors(simplify, node.arguments[1], over, under);
  const auto shared = std::ranges::find_if(
      over, [&](int i) { return !simplify.is_constant(i) && std::ranges::find(other, i) != other.end(); });
  if (shared == over.end() || !std::ranges::all_of(under, [&](int i) { return divides_alike(simplify, i); }))
    return {};
  int result = simplify.changed(node, op::power, {*shared}, 2);
  other.erase(std::ranges::find(other, *shared));
  over.erase(shared);
  over.insert(over.end(), other.begin(), other.end());
  // Constants come last, and together.
  const auto constants = std::ranges::partition(over, [&](int i) { return !simplify.is_constant(i); });
  for (auto i = over.begin(); i != constants.begin(); ++i)
    result = simplify.changed(node, op::multiply, {*i, result});
  int front = -1;
  for (const int i : constants) front = front < 0 ? i : simplify.changed(node, op::multiply, {front, i});
  if (front >= 0) result = simplify.changed(node, op::multiply, {front, result});
  for (const int i : under) result = simplify.changed(node, op::divide, {result, i});
  return result;
}

}  // namespace

int Simplifier::operator()(Node node) {
  const auto& a = node.arguments;
  if (node.op->entrywise() && std::ranges::all_of(a, [this](int i) { return is_constant(i); })) {
    std::vector<double> x;
    for (const int i : a) x.push_back(at(i).number);
    const double value = node.op->value(x.data(), node.number);
    // A sum that rounds is left to the run, which may have 50 digits.
    const bool rounds = (node.op == op::add || node.op == op::subtract) &&
                        rounding_of_sum(x[0], node.op == op::add ? x[1] : -x[1]) != 0;
    // Values of a run carry a power of two, so there 1e-200*1e-200 does not vanish.
    const bool vanishes = node.op->multiplies && std::abs(value) < std::numeric_limits<double>::min() &&
                          std::ranges::count(x, 0.0) == 0;
    if (!vanishes && !rounds) return changed(node, op::number, {}, value);
  }
  const std::optional<int> simpler = node.op->rewritten ? node.op->rewritten(*this, node) : std::nullopt;
  return simpler ? *simpler : placed(std::move(node));
}

int Simplifier::changed(const Node& node, Op op, std::vector<int> arguments, double number) {
  Node other = node;
  other.op = op;
  other.arguments = std::move(arguments);
  other.number = number;
  return constant(other) ? placed(std::move(other)) : (*this)(std::move(other));
}

int Simplifier::placed(Node node) {
  // NaN would break the order of nodes; infinity is refused as well.
  if (std::isnan(node.number)) node.number = std::numeric_limits<double>::infinity();
  const auto [found, is_new] = places_.try_emplace(node.value(), static_cast<int>(graph_.nodes.size()));
  if (!is_new) return found->second;
  const auto& a = node.arguments;
  node.varies =
      node.op == op::variable || std::any_of(a.begin(), node.op == op::spectral ? a.begin() + 1 : a.end(),
                                             [this](int argument) { return at(argument).varies; });
  graph_.nodes.push_back(std::move(node));
  return found->second;
}

namespace rewrites {

std::optional<int> sum(Simplifier& simplify, Node& node) {
  const auto& a = node.arguments;
  if (simplify.is_number(a[0], 0)) return a[1];
  return difference(simplify, node);
}

std::optional<int> difference(Simplifier& simplify, Node& node) {
  return simplify.is_number(node.arguments[1], 0) ? std::optional(node.arguments[0]) : std::nullopt;
}

std::optional<int> multiple(Simplifier& simplify, Node& node) {
  auto& a = node.arguments;
  if (simplify.is_constant(a[1]) || (!simplify.is_constant(a[0]) && a[1] < a[0])) std::swap(a[0], a[1]);
  if (simplify.is_number(a[0], 1)) return a[1];
  if (a[0] == a[1]) return simplify.changed(node, op::power, {a[0]}, 2);
  return square_inside(simplify, node);
}

std::optional<int> power(Simplifier& simplify, Node& node) {
  const int x = node.arguments[0];
  if (node.number == 1) return x;
  if (node.number == 0) return simplify.changed(node, op::number, {}, 1);
  if (node.number == 0.5) return simplify.changed(node, op::root, {x});
  return {};
}

std::optional<int> root(Simplifier& simplify, Node& node) {
  const Node& x = simplify.at(node.arguments[0]);
  if (x.op == op::power && x.number == 2) return simplify.changed(node, op::absolute, {x.arguments[0]});
  return {};
}

std::optional<int> transpose(Simplifier& simplify, Node& node) {
  const Node& x = simplify.at(node.arguments[0]);
  return x.op == op::transpose ? std::optional(x.arguments[0]) : std::nullopt;
}

static std::optional<int> numbers_in_front(Simplifier& simplify, Node& node) {
  double factor = 1;
  for (int& argument : node.arguments) {
    for (;;) {
      const Node& x = simplify.at(argument);
      if (x.op != op::multiply || !simplify.is_constant(x.arguments[0])) break;
      const double more = factor * simplify.at(x.arguments[0]).number;
      if (!std::isnormal(more) && factor != 1) break;
      factor = more;
      argument = x.arguments[1];
    }
  }
  if (factor == 1) return {};
  const int number = simplify.changed(node, op::number, {}, factor), rest = simplify(node);
  return simplify.changed(node, op::multiply, {number, rest});
}

std::optional<int> product(Simplifier& simplify, Node& node) {
  if (const auto in_front = numbers_in_front(simplify, node)) return in_front;
  const auto transposes = [&](int a, int b) {
    const Node &x = simplify.at(a), &y = simplify.at(b);
    return (x.op == op::transpose && x.arguments[0] == b) || (y.op == op::transpose && y.arguments[0] == a);
  };
  // (X Xᵀ)^p X and X (Xᵀ X)^p are the power 2p + 1 of X, and small singular values are not lost in a square.
  for (const std::size_t side : {0, 1}) {
    const int x = node.arguments[1 - side];
    const Node& root = simplify.at(node.arguments[side]);
    if (root.op != op::spectral_power) continue;
    const Node& gram = simplify.at(root.arguments[0]);
    if (gram.op == op::product && gram.arguments[side] == x && transposes(x, gram.arguments[1 - side]))
      return simplify.changed(node, op::spectral_power, {x}, 2 * root.number + 1);
  }
  return {};
}

std::optional<int> total(Simplifier& simplify, Node& node) {
  if (const auto in_front = numbers_in_front(simplify, node)) return in_front;
  const Node& x = simplify.at(node.arguments[0]);
  if (x.op != op::power || x.number != 2) return {};
  return simplify.changed(node, op::power, {simplify.changed(node, op::norm, x.arguments)}, 2);
}

}  // namespace rewrites

}  // namespace rarefact::formula
