#pragma once

#include "optim/formula/graph.hpp"

namespace rarefact::formula {

/// Adds nodes to a graph in their simplest form; equal nodes are shared.
class Simplifier {
 public:
  Simplifier(Graph& graph, NodePlaces& places) : graph_(graph), places_(places) {}

  /// The node of a value, added if new.
  int operator()(Node node);

  // For the rewrites of operations.

  const Node& at(int i) const { return graph_.nodes[i]; }
  bool is_constant(int i) const { return constant(at(i)); }
  bool is_number(int i, double value) const { return constant(at(i)) && at(i).number == value; }

  /// A node of another operation with the source position of `node`.
  int changed(const Node& node, Op op, std::vector<int> arguments, double number = 0);

 private:
  int placed(Node node);

  Graph& graph_;
  NodePlaces& places_;
};

/// Simpler nodes of the same value; nullopt if there is none.
namespace rewrites {
std::optional<int> sum(Simplifier& simplify, Node& node);
std::optional<int> difference(Simplifier& simplify, Node& node);
std::optional<int> multiple(Simplifier& simplify, Node& node);
std::optional<int> power(Simplifier& simplify, Node& node);
std::optional<int> root(Simplifier& simplify, Node& node);
std::optional<int> transpose(Simplifier& simplify, Node& node);
/// Moves constant factors of arguments in front of the result.
std::optional<int> numbers_in_front(Simplifier& simplify, Node& node);
/// The same, and sums of squares become squares of norms.
std::optional<int> total(Simplifier& simplify, Node& node);
}  // namespace rewrites

}  // namespace rarefact::formula
