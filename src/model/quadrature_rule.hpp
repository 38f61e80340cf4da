#pragma once

/// Quadrature rules of the counting measure Σ_{k=1..N} δ(ln k): a few nodes with real weights that represent
/// all N items, so that Σ_k f(ln k) = Σ_i n_i f(x_i) up to rounding for every f that is smooth in ln k. The
/// symmetric algebra uses the weights as group sizes. N is the number of classes, up to 1e300.

#include <vector>

#include "core/types.hpp"

namespace rarefact {

/// Nodes ascending in rank; as many counts.
struct QuadratureRule {
  std::vector<double> rank;      ///< k_i in [1, N], real
  std::vector<double> log_rank;  ///< x_i = ln k_i
  std::vector<double> count;     ///< n_i: number of items that the node represents, real
  bool exact = false;            ///< every item is a node of its own

  std::size_t size() const { return rank.size(); }
  /// True if the node represents only one item.
  bool single(Index i) const { return count[i] < 1 + 1e-6; }
};

/// Nodes per panel of the usual panel rule: the singularity of k^-s at k = 0 lies outside the ellipse with
/// sum of semi-axes 5.8, so 16 nodes have an error of 5.8^-32 = 1e-24.
inline constexpr int usual_panel_order = 16;

/// Items 1..2q themselves, then dyadic panels of integers [a, 2a), each by its q-node Gauss rule for equally
/// spaced points of equal weight (the discrete orthogonal polynomials of Gram: recurrence b_j = j² (N² - j²)
/// / (4 (4j² - 1)); nodes and weights from the Jacobi matrix, Golub and Welsch). Panels of q items or fewer
/// are kept item by item, and so is the last item, so that both ends are exact. Panels of the last three
/// quarters of the items have tail_order nodes if that is more. Panels end at every item of `cuts`, ascending whole
/// numbers. About q log2(N) nodes. Preconditions: items >= 1 a whole number, order >= 1.
QuadratureRule panel_rule(double items, int order, int tail_order = 0, const std::vector<double>& cuts = {});

/// The Gauss rule of m nodes for the measure of `fine`, by Lanczos in the variable x = ln k with full
/// reorthogonalisation. The polynomials are orthogonal under the measure weighted by 1/k, n_i = k_i times its
/// weights: under the counting measure itself the head would be a fraction 1/N of the mass and lost in
/// rounding (at N = 1e12 this gains five digits). A rule with at most m nodes is returned unchanged. m >= 1.
QuadratureRule gauss_rule(const QuadratureRule& fine, Index nodes);

/// gauss_rule of a panel rule with at least twice as many nodes, or every item.
QuadratureRule gauss_rule(double items, Index nodes);

/// Values at any rank from values at the nodes of a Gauss rule: Lagrange interpolation in x = ln k in
/// barycentric form. Row r of the result has the weights of the nodes for target r; a target on a node uses
/// only that node. As the nodes follow the measure Σ δ(ln k)/k, they sit on the classes themselves in the
/// head, where no class is between them, and among the many classes of the tail they are spread like Gauss
/// nodes, so the weights stay small at every real class, the first and last included.
Matrix interpolation_weights(const QuadratureRule& rule, const std::vector<double>& ranks);

}  // namespace rarefact
