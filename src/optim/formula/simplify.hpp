#pragma once

#include "optim/formula/graph.hpp"

namespace rarefact::formula {

/// Puts nodes into a graph, in their simplest form; equal nodes are one.
class Simplifier {
 public:
  Simplifier(Graph& graph, NodePlaces& places) : graph_(graph), places_(places) {}

  /// The node of this value.
  int operator()(Node node);

  // For the rewriting of operations.

  const Node& at(int i) const { return graph_.nodes[i]; }
  bool is_constant(int i) const { return constant(at(i)); }
  bool is_number(int i, double value) const { return constant(at(i)) && at(i).number == value; }

  /// The node of another operation, which is written where `node` is.
  int changed(const Node& node, Op op, std::vector<int> arguments, double number = 0);

 private:
  int placed(Node node);

  Graph& graph_;
  NodePlaces& places_;
};

/// Simpler nodes of the same value; nothing where there is none.
namespace rewrites {
std::optional<int> sum(Simplifier& simplify, Node& node);
std::optional<int> difference(Simplifier& simplify, Node& node);
std::optional<int> multiple(Simplifier& simplify, Node& node);
std::optional<int> power(Simplifier& simplify, Node& node);
std::optional<int> root(Simplifier& simplify, Node& node);
std::optional<int> transpose(Simplifier& simplify, Node& node);
/// Constants before the arguments come in front of the whole.
std::optional<int> numbers_in_front(Simplifier& simplify, Node& node);
/// Sums of squares, too, become squares of norms.
std::optional<int> total(Simplifier& simplify, Node& node);
}  // namespace rewrites

}  // namespace rarefact::formula
