#pragma once

/// The definitions of a formula rule as a graph, in which equal expressions share a node.

#include <cstddef>
#include <map>

#include "algebra/polar_variants.hpp"
#include "optim/formula/operation.hpp"
#include "optim/update_rule.hpp"

namespace rarefact::formula {

/// The result of a sum over indices: one number, one per row or one per column.
enum class KeptAxis { number, rows, columns };

struct Node {
  Op op = op::number;
  std::vector<int> arguments = {};
  double number = 0;  ///< a constant, an exponent, λ, r; for a state its place in the list
  KeptAxis left = KeptAxis::number;
  PolarPolynomial polynomial = {};
  bool varies = false;  ///< depends on the variable of a lambda
  // Source position of the first appearance; for messages only.
  std::string text = {};
  std::string key = {};
  std::optional<std::size_t> offset = {};  ///< nullopt: the whole text

  /// Nodes with equal value() are shared.
  auto value() const { return std::tuple(op, arguments, number, left, polynomial); }
};

using NodePlaces = std::map<decltype(Node().value()), int>;

struct State {
  std::string name;  ///< "m"; for ema and decay their text
  int before = 0;    ///< node of its value before the update
  int after = 0;     ///< node of the value after it
};

struct Graph {
  std::vector<Node> nodes;  ///< each after its arguments
  std::vector<State> states;
  int direction = 0;
  /// Scalar factors of the direction: D is the product of `factors` times the node `direction`, divided by
  /// the product of `divisors`.
  std::vector<int> factors = {}, divisors = {};
  bool needs_start = false;         ///< the direction is 0 as long as W is
  std::vector<std::string> unused;  ///< keys that the direction does not need
};

/// The graph of the definitions. Never throws InputError; mistakes are added to `problems`, and the graph
/// must not be used if there are any.
Graph graph_of(const ParameterValues& definitions, std::vector<ParameterProblem>& problems);

/// The nodes that are 0 whatever the others are: 0, its multiples, quotients 0/x, and sums of such nodes.
std::vector<bool> zero_nodes(const Graph& graph);

/// The nodes that a run needs, including bodies of lambdas; without `beside_zeros` only those that can change D.
std::vector<bool> needed_nodes(const Graph& graph, bool beside_zeros = true);

/// True if the direction or a state depends on this leaf; without `beside_zeros`, if D can.
bool reads(const Graph& graph, Op leaf, bool beside_zeros = true);

/// True if D depends on an average of something that changes sign with the gradient, such as G, and not G**2.
bool has_momentum(const Graph& graph);

/// True if a node is a number known before the run.
inline bool constant(const Node& node) {
  return node.op == op::number;
}

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
/// Moves constant factors in front; (X Xᵀ)^p X becomes a power of X.
std::optional<int> product(Simplifier& simplify, Node& node);
/// Moves constant factors in front; sums of squares become squares of norms.
std::optional<int> total(Simplifier& simplify, Node& node);
}  // namespace rewrites

}  // namespace rarefact::formula
