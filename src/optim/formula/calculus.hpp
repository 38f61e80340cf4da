#pragma once

/// What is known of every value of a formula without running it: its shape, and what it keeps when the gradients are
/// turned, permuted or scaled. docs/reference.md has the table.

#include <optional>
#include <string>
#include <vector>

#include "optim/formula/graph.hpp"

namespace rarefact::formula {

/// What an index of a value runs over. From `first_basis` on: the eigenvectors of that node.
namespace leg {
inline constexpr int unknown = -1, one = 0, out = 1, in = 2, answers = 3, queries = 4, first_basis = 5;
}

/// The node that lost a property, or -1. What is known of a value is the same whatever node it is because of.
struct Because {
  int node = -1;

  Because(int i = -1) : node(i) {}
  bool operator==(const Because&) const { return true; }
};

/// How far a value follows when coordinates change.
struct Turning {
  bool rotates = true;  ///< with every orthogonal change of them, not only with permutations
  Because because = {};

  bool operator==(const Turning&) const = default;
};

/// Wrong answers that agree within a column.
enum class InColumns { zero, yes, diagonal, no };

struct Trait {
  bool zero = true;  ///< a state before its first update; nothing else is known of it then
  int rows = leg::unknown, columns = leg::unknown;
  Turning answers, queries;
  InColumns in_columns = InColumns::zero;
  Because columns_because = {};
  /// f(cX) = c^degree f(X) where all gradients are scaled by c > 0; nothing: no such power.
  std::optional<double> degree = 0;
  bool any_degree = true;
  Because degree_because = {};
  double low = 0, high = 0;  ///< of the entries
  double hoelder = 1;        ///< |f(x) - f(0)| is at most of the order |x|^hoelder in small entries
  bool odd_rows = false, odd_columns = false;  ///< changes sign with an eigenvector of that leg
  bool tie = false;                            ///< defined only where singular values differ
  bool norm =
      false;  ///< a number that is zero only where all of a matrix is: what it divides keeps its proportions
  bool squared = true;   ///< a sum of squares, held as its root
  bool gram = true;      ///< a sum of X Xᵀ, held by its factor
  bool gradient = true;  ///< A G B summed over steps, numbers beside them: uᵀG = 0 stays

  bool operator==(const Trait&) const = default;
  bool number() const { return rows == leg::one && columns == leg::one; }
  bool matrix() const { return rows > leg::one && columns > leg::one; }
};

/// One for each node of the graph; `problems` has what is wrong, with the place. Sums of products become inner products.
std::vector<Trait> traits_of(Graph& graph, std::vector<ParameterProblem>& problems);

/// A graph with what is known of it.
struct Compiled {
  Graph graph;
  std::vector<Trait> traits;
};

/// Precondition: the definitions have no problems.
Compiled compiled(const ParameterValues& definitions);

/// Takes the numbers before the direction apart from it.
void take_factors(Graph& graph, const std::vector<Trait>& traits);

/// "d_out x d_in", "a number".
std::string shape_text(const Trait& trait);

}  // namespace rarefact::formula
