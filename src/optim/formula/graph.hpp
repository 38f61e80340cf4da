#pragma once

/// The definitions of a formula rule as one graph: equal expressions are one node, names are gone.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "algebra/polar_variants.hpp"
#include "optim/formula/operation.hpp"
#include "optim/update_rule.hpp"

namespace rarefact::formula {

/// What is left of a matrix by a sum over an index: one number, one a row or one a column.
enum class Left { number, rows, columns };

struct Node {
  Op op = op::number;
  std::vector<int> arguments = {};
  double number = 0;  ///< a constant, an exponent, λ, r; of a state its place in the list
  Left left = Left::number;
  PolarPolynomial polynomial = {};
  bool varies = false;  ///< has another value for each singular value: in the body of a lambda
  // Where it was first written; of no meaning to the value.
  std::string text = {};
  std::string key = {};
  std::optional<std::size_t> offset = {};  ///< nothing: it is the whole text

  /// Nodes that agree in these are one node.
  auto value() const { return std::tuple(op, arguments, number, left, polynomial); }
};

/// The node of each value.
using NodePlaces = std::map<decltype(Node().value()), int>;

struct State {
  std::string name;  ///< "m"; of ema and decay their text
  int before = 0;    ///< node of its value before the update
  int after = 0;     ///< node of the value after it
};

struct Graph {
  std::vector<Node> nodes;  ///< each after its arguments
  std::vector<State> states;
  int direction = 0;
  /// Numbers before the direction: D is their product times the node `direction`, over that of the divisors.
  std::vector<int> factors = {}, divisors = {};
  std::vector<std::string> unused;  ///< keys that the direction does not need
};

/// The graph of the definitions. InputError is never thrown: `problems` has what is wrong, and the graph is of no use
/// where it has anything.
Graph graph_of(const ParameterValues& definitions, std::vector<ParameterProblem>& problems);

/// Whether a node is a number whose value is known before the run.
inline bool constant(const Node& node) {
  return node.op == op::number;
}

}  // namespace rarefact::formula
