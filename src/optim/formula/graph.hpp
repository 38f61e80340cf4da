#pragma once

/// The definitions of a formula rule as one graph: equal expressions are one node, names are gone.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "algebra/polar_variants.hpp"
#include "optim/update_rule.hpp"

namespace rarefact::formula {

enum class Op {
  // leaves
  number,         ///< a constant
  step,           ///< t: 1 at the first update
  size,           ///< how many indices a leg has, as a number
  gradient,       ///< G = ∇L
  weights,        ///< W
  task,           ///< T, the gradient in the task basis
  second_moment,  ///< C
  state,          ///< a state's value before the update
  variable,       ///< of a lambda
  // entry by entry
  add,  ///< x + number·y, number = 1 or -1
  multiply,
  divide,  ///< 0/0 = 0
  power,   ///< x**number
  raise,   ///< number x to the power of number y
  minimum,
  maximum,
  where,  ///< x where a > b, else y
  absolute,
  sign,
  root,
  exponential,
  logarithm,
  tangent,  ///< tanh
  // of rows, columns or all: `side` is the index that is left
  sum,
  norm,
  largest,  ///< of absolute values
  inner,
  trace,
  nuclear,
  spectral_norm,
  // of matrices
  product,
  transpose,
  ambient,
  spectral,        ///< U f(Σ) Vᵀ: arguments X and f of the variable
  spectral_power,  ///< the same with f = s**number; 0: the polar factor
  smooth_polar,
  polynomial,
  top,
  eigenbasis,
};

/// What is left of a matrix by a sum over an index: one number, one a row or one a column.
enum class Left { number, rows, columns };

struct Node {
  Op op = Op::number;
  std::vector<int> arguments = {};
  double number = 0;  ///< a constant, an exponent, λ, r; of `state` its place in the list
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
  return node.op == Op::number;
}

inline bool entrywise(Op op) {
  return op >= Op::add && op <= Op::tangent;
}

}  // namespace rarefact::formula
