#pragma once

/// Static analysis of formulas: the shape of every value, and how it changes when gradients are rotated,
/// permuted or scaled. docs/formulas.md has the table.

#include <limits>

#include "optim/formula/graph.hpp"

namespace rarefact::formula {

inline constexpr double infinite = std::numeric_limits<double>::infinity();
inline constexpr Bounds unbounded = {-infinite, infinite};

/// The index set of an axis. From `first_basis` on: the eigenvectors of that node.
namespace axis {
inline constexpr int unknown = -1, single = 0, out = 1, in = 2, answers = 3, queries = 4, first_basis = 5;
}

/// The node that lost a property, or -1; for messages only, so all compare equal.
struct Because {
  int node = -1;

  Because(int i = -1) : node(i) {}
  bool operator==(const Because&) const { return true; }
};

/// f(cX) = c^degree f(X) if all gradients are scaled by c > 0; nullopt if there is no such power.
struct Degree : std::optional<double> {
  bool any = true;  ///< of a zero value, which has every degree
  Because because = {};

  Degree() : optional(0) {}
  explicit Degree(std::optional<double> degree, Because lost = {})
      : optional(degree), any(false), because(degree ? Because() : lost) {}
  bool operator==(const Degree&) const = default;

  /// A new degree, lost or changed by node i.
  Degree changed(std::optional<double> degree, int i) const {
    return Degree(degree, *this ? Because(i) : because);
  }
  Degree times(double factor, int i) const {
    return changed(*this ? std::optional(**this * factor) : std::nullopt, i);
  }
  /// The degree of a product, or of a quotient (sign -1).
  Degree with(const Degree& other, int sign = 1) const;
  /// Keeps this degree if `other` is equal; else it is lost because of node i.
  void join(const Degree& other, int i);
};

/// The equivariance of a value under changes of coordinates.
struct Turning {
  bool rotates = true;  ///< under every orthogonal change, not only under permutations
  Because because = {};

  bool operator==(const Turning&) const = default;
};

/// True if equal wrong answers within a column stay equal.
enum class InColumns { zero, yes, diagonal, no };

struct Trait {
  bool zero = true;  ///< a state before its first update; its other properties are then undefined
  int rows = axis::unknown, columns = axis::unknown;
  Turning answers, queries;
  InColumns in_columns = InColumns::zero;
  Because columns_because = {};
  Degree degree = {};
  double low = 0, high = 0;  ///< bounds of the entries
  Bounds part = unbounded;   ///< of the entries divided by `steps`
  double hoelder = 1;        ///< |f(x) - f(0)| is at most of the order |x|^hoelder in small entries
  bool odd_rows = false, odd_columns = false;  ///< changes sign with an eigenvector of that axis
  bool tie = false;                            ///< defined only if singular values differ
  bool norm = false;     ///< a number that is zero only if the whole matrix is, such as a norm
  bool squared = true;   ///< a sum of squares, stored as its root
  bool gram = true;      ///< a sum of X Xᵀ, stored as its factor
  bool gradient = true;  ///< a sum over steps of multiples of A G B, so that uᵀG = 0 is preserved

  bool operator==(const Trait&) const = default;
  bool number() const { return rows == axis::single && columns == axis::single; }
  bool matrix() const { return rows > axis::single && columns > axis::single; }
};

/// The traits of each node; adds mistakes to `problems`. Sums of products become inner products.
std::vector<Trait> traits_of(Graph& graph, std::vector<ParameterProblem>& problems);

/// A graph with the traits of its nodes.
struct Compiled {
  Graph graph;
  std::vector<Trait> traits;
};

/// Precondition: the definitions have no problems.
const Compiled& compiled(const ParameterValues& definitions);

/// Separates scalar factors from the direction.
void take_factors(Graph& graph, const std::vector<Trait>& traits);

/// "d_out x d_in", "a number".
std::string shape_text(const Trait& trait);

}  // namespace rarefact::formula
