#include "optim/formula/simplify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "optim/formula/numbers.hpp"

namespace rarefact::formula {

namespace {

class Simplifier {
 public:
  Simplifier(Graph& graph, NodePlaces& places) : graph_(graph), places_(places) {}

  int operator()(Node node) {
    auto& a = node.arguments;
    const auto is_constant = [this](int i) { return constant(at(i)); };
    if (entrywise(node.op) && std::ranges::all_of(a, is_constant)) return folded(node);
    switch (node.op) {
      case Op::multiply:
        if (is_constant(a[1]) || (!is_constant(a[0]) && a[1] < a[0])) std::swap(a[0], a[1]);
        if (is_number(a[0], 1)) return a[1];
        if (a[0] == a[1]) return (*this)(changed(node, Op::power, {a[0]}, 2));
        break;
      case Op::add:
        if (is_number(a[1], 0)) return a[0];
        if (is_number(a[0], 0) && node.number == 1) return a[1];
        break;
      case Op::power:
        if (node.number == 1) return a[0];
        if (node.number == 0) return placed(changed(node, Op::number, {}, 1));
        if (node.number == 0.5) return (*this)(changed(node, Op::root, {a[0]}, 0));
        break;
      case Op::root:
        if (at(a[0]).op == Op::power && at(a[0]).number == 2)
          return (*this)(changed(node, Op::absolute, {at(a[0]).arguments[0]}, 0));
        break;
      case Op::transpose:
        if (at(a[0]).op == Op::transpose) return at(a[0]).arguments[0];
        break;
      case Op::product:
      case Op::sum: {
        double factor = 1;
        for (int& argument : a) {
          while (at(argument).op == Op::multiply && is_constant(at(argument).arguments[0])) {
            const double more = factor * at(at(argument).arguments[0]).number;
            if (!std::isnormal(more) && factor != 1) break;
            factor = more;
            argument = at(argument).arguments[1];
          }
        }
        if (factor != 1) {
          const int number = placed(changed(node, Op::number, {}, factor)), rest = (*this)(node);
          return (*this)(changed(node, Op::multiply, {number, rest}, 0));
        }
        if (node.op == Op::sum && at(a[0]).op == Op::power && at(a[0]).number == 2) {
          const int norm = (*this)(changed(node, Op::norm, at(a[0]).arguments, 0));
          return (*this)(changed(node, Op::power, {norm}, 2));
        }
        break;
      }
      default:
        break;
    }
    return placed(std::move(node));
  }

 private:
  const Node& at(int i) const { return graph_.nodes[i]; }
  bool is_number(int i, double value) const { return constant(at(i)) && at(i).number == value; }

  static Node changed(const Node& node, Op op, std::vector<int> arguments, double number) {
    Node other = node;
    other.op = op;
    other.arguments = std::move(arguments);
    other.number = number;
    return other;
  }

  int folded(const Node& node) {
    std::vector<double> x;
    for (const int i : node.arguments) x.push_back(at(i).number);
    return placed(changed(node, Op::number, {}, number_value(node, x.data())));
  }

  int placed(Node node) {
    // NaN has no place in an order, and is refused as infinity is.
    if (std::isnan(node.number)) node.number = std::numeric_limits<double>::infinity();
    const auto [found, is_new] = places_.try_emplace(node.value(), static_cast<int>(graph_.nodes.size()));
    if (!is_new) return found->second;
    const auto& a = node.arguments;
    node.varies =
        node.op == Op::variable || std::any_of(a.begin(), node.op == Op::spectral ? a.begin() + 1 : a.end(),
                                               [this](int argument) { return at(argument).varies; });
    graph_.nodes.push_back(std::move(node));
    return found->second;
  }

  Graph& graph_;
  NodePlaces& places_;
};

}  // namespace

int simplified(Graph& graph, NodePlaces& places, Node node) {
  return Simplifier(graph, places)(std::move(node));
}

}  // namespace rarefact::formula
