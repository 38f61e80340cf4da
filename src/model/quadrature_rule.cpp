#include "model/quadrature_rule.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace rarefact {

namespace {

/// Nodes in [-1, 1] and weights of sum 1.
struct GaussNodes {
  Vector node, weight;
};

/// Golub and Welsch: eigenvalues of the Jacobi matrix, squares of the first components of its eigenvectors.
GaussNodes of_jacobi_matrix(const Vector& diagonal, const Vector& off_diagonal) {
  Eigen::SelfAdjointEigenSolver<Matrix> solver;
  solver.computeFromTridiagonal(diagonal, off_diagonal);
  return {solver.eigenvalues(), solver.eigenvectors().row(0).transpose().cwiseAbs2()};
}

/// For `points` equally spaced points of equal weight, t = 2 (k - centre) / points.
GaussNodes gram_nodes(double points, int order) {
  Vector off_diagonal(order - 1);
  for (int j = 1; j < order; ++j) {
    const double part = j / points, square = static_cast<double>(j) * j;
    off_diagonal(j - 1) = std::sqrt(square * (1 - part * part) / (4 * square - 1));
  }
  return of_jacobi_matrix(Vector::Zero(order), off_diagonal);
}

/// The same for a full panel, cached by each thread: few are distinct, and every step needs them for totals.
const GaussNodes& full_panel_nodes(double points, int order) {
  thread_local std::map<std::pair<double, int>, GaussNodes> kept;
  // Beyond 1e9 points per panel the matrix no longer changes in double precision.
  const auto [place, fresh] = kept.try_emplace({std::min(points, 1e9), order});
  if (fresh) place->second = gram_nodes(place->first.first, order);
  return place->second;
}

void add_node(QuadratureRule& rule, double rank, double count) {
  rule.rank.push_back(rank);
  rule.log_rank.push_back(std::log(rank));
  rule.count.push_back(count);
}

/// Three-term recurrence coefficients of the orthonormal polynomials of a discrete measure.
struct Recurrence {
  Vector diagonal, off_diagonal;
};

Recurrence lanczos(const Vector& node, const Vector& root_weight, Index steps) {
  Matrix basis(node.size(), steps);
  Recurrence recurrence{Vector(steps), Vector(steps)};
  Vector v = root_weight.normalized();
  for (Index j = 0; j < steps; ++j) {
    basis.col(j) = v;
    Vector next = node.cwiseProduct(v);
    recurrence.diagonal(j) = v.dot(next);
    const auto so_far = basis.leftCols(j + 1);
    // Reorthogonalising twice keeps the loss of orthogonality at the level of rounding.
    for (int pass = 0; pass < 2; ++pass) next -= so_far * (so_far.transpose() * next).eval();
    recurrence.off_diagonal(j) = next.norm();
    v = next / recurrence.off_diagonal(j);
  }
  return recurrence;
}

/// In the head, nodes converge exponentially to items as nodes are added, but polynomials oscillate more and
/// more between items and would amplify the rounding of a position: nodes this close are moved onto the item.
double on_item(double log_rank) {
  const double max_rank = 1e6, rounding = 1e-12;
  const double item = std::log(std::round(std::exp(log_rank)));
  return log_rank < std::log(max_rank) && std::abs(log_rank - item) < rounding ? item : log_rank;
}

/// 1/Π_{k≠j} (x_j - x_k) up to a common factor.
Vector barycentric_weights(const Vector& x) {
  const Index n = x.size();
  Vector log_size = Vector::Zero(n), sign = Vector::Ones(n);
  for (Index j = 0; j < n; ++j) {
    for (Index k = 0; k < n; ++k) {
      if (k == j) continue;
      log_size(j) -= std::log(std::abs(x(j) - x(k)));
      if (x(j) < x(k)) sign(j) = -sign(j);
    }
  }
  return sign.cwiseProduct((log_size.array() - log_size.maxCoeff()).exp().matrix());
}

}  // namespace

QuadratureRule panel_rule(double items, int order, int tail_order, const std::vector<double>& cuts) {
  QuadratureRule rule;
  rule.exact = true;
  const int head_order = order;
  tail_order = std::max(order, tail_order);
  const double head = std::min(items, 2.0 * order);
  for (double k = 1; k <= head; ++k) add_node(rule, k, 1);
  const double inner = items - 1;          // the last item is a node of its own
  for (double end = head; end < inner;) {  // beyond 2^53 the next item may be the same number
    const double first = end + 1;
    const auto cut = std::ranges::upper_bound(cuts, end);
    const double last_item = cut == cuts.end() ? inner : std::min(inner, *cut);
    const double points = std::min(first, last_item - first + 1);
    end = std::min(2 * first - 1, last_item);
    order = 4 * first > items ? tail_order : head_order;
    if (points <= order) {
      for (double i = 0; i < points; ++i) add_node(rule, first + i, 1);
      continue;
    }
    rule.exact = false;
    const bool full = points == first;
    const GaussNodes last = full ? GaussNodes{} : gram_nodes(std::min(points, 1e9), order);
    const GaussNodes& gauss = full ? full_panel_nodes(points, order) : last;
    for (Index i = 0; i < order; ++i) {
      add_node(rule, first + (points - 1) / 2 + gauss.node(i) * (points / 2), points * gauss.weight(i));
    }
  }
  if (head < items) add_node(rule, items, 1);
  return rule;
}

QuadratureRule gauss_rule(const QuadratureRule& fine, Index nodes) {
  const auto size = std::ssize(fine);
  if (size <= nodes) return fine;
  const double length = fine.log_rank.back();
  Vector t(size), weight(size);
  for (Index i = 0; i < size; ++i) {
    t(i) = 2 * fine.log_rank[i] / length - 1;
    weight(i) = fine.count[i] / fine.rank[i];
  }
  const Recurrence recurrence = lanczos(t, weight.cwiseSqrt(), nodes);
  const GaussNodes gauss = of_jacobi_matrix(recurrence.diagonal, recurrence.off_diagonal.head(nodes - 1));
  const double total = weight.sum();
  QuadratureRule rule;
  for (Index i = 0; i < nodes; ++i) {
    const double x = on_item(std::clamp((gauss.node(i) + 1) / 2, 0.0, 1.0) * length);
    rule.log_rank.push_back(x);
    rule.rank.push_back(std::exp(x));
    // A node represents at least one item, but rounding may give slightly less for a node on an item.
    rule.count.push_back(std::max(1.0, total * gauss.weight(i) * rule.rank.back()));
  }
  return rule;
}

QuadratureRule gauss_rule(double items, Index nodes) {
  // Towards the last item the distance of compressed nodes decreases to ln(N)/m². If the panels were as
  // coarse, compressed nodes would coincide with theirs, and the last item would be far beyond the last node.
  const double dense = 4 * static_cast<double>(nodes) * std::sqrt(std::log(2.0) / std::log(items));
  int tail_order = usual_panel_order;
  while (tail_order < dense) tail_order *= 2;
  QuadratureRule fine = panel_rule(items, usual_panel_order, tail_order);
  for (int order = 2 * usual_panel_order; !fine.exact && std::ssize(fine) < 2 * nodes; order *= 2) {
    fine = panel_rule(items, order, tail_order);
  }
  return gauss_rule(fine, nodes);
}

Matrix interpolation_weights(const QuadratureRule& rule, const std::vector<double>& ranks) {
  const auto nodes = std::ssize(rule);
  const Vector x = Eigen::Map<const Vector>(rule.log_rank.data(), nodes);
  const Vector weight = barycentric_weights(x);
  // Nodes and targets are rounded; ranks that agree to a few units in the last place are equal.
  const double same = 8 * std::numeric_limits<double>::epsilon() * std::max(1.0, x(nodes - 1));
  Matrix weights(std::ssize(ranks), nodes);
  for (Index row = 0; row < weights.rows(); ++row) {
    const Vector distance = std::log(ranks[row]) - x.array();
    Index nearest = 0;
    if (distance.cwiseAbs().minCoeff(&nearest) <= same) {
      weights.row(row) = Vector::Unit(nodes, nearest).transpose();
    } else {
      const Vector terms = weight.cwiseQuotient(distance);
      weights.row(row) = terms.transpose() / terms.sum();
    }
  }
  return weights;
}

}  // namespace rarefact
