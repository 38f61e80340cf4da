#pragma once

/// Repeated passes over the nodes of a formula, until the traits of its states no longer change.

#include <algorithm>

#include "optim/formula/calculus.hpp"

namespace rarefact::formula {

/// Powers up to this one amplify the rounding noise of a zero.
inline constexpr double small_power = 0.25;

class Calculus {
 public:
  Calculus(Graph& graph, std::vector<ParameterProblem>& problems) : graph_(graph), problems_(problems) {
    traits_.resize(graph.nodes.size());
    states_.resize(graph.states.size());
    changed_.resize(graph.nodes.size());
  }

  std::vector<Trait> run();

  // For the traits of operations.

  const Node& node(int i) const { return graph_.nodes[i]; }
  const Trait& of(int i) const { return traits_[i]; }
  const Trait& argument(int i, std::size_t k = 0) const { return of(node(i).arguments[k]); }
  const std::string& text(int i, std::size_t k = 0) const { return node(node(i).arguments[k]).text; }
  const Trait& state(int i) const { return states_[static_cast<std::size_t>(node(i).number)]; }
  const Trait& weights() const { return weights_; }
  bool final_round() const { return final_; }
  bool reads_task() const {
    return std::ranges::find(graph_.nodes, op::task, &Node::op) != graph_.nodes.end();
  }

  void refuse(int i, std::string message) {
    // Before the passes have converged, a zero may lack its shape.
    if (final_ && problems_.empty()) problems_.push_back({node(i).key, std::move(message), node(i).offset});
  }

  /// Refuses arguments of the wrong shape.
  void require_matrix(int i);

  void refuse_sign(int i) { refuse(i, "the sign of an eigenvector is arbitrary and does not cancel here"); }

  static bool same_axes(const Trait& x, const Trait& y) {
    return x.rows == y.rows && x.columns == y.columns && !x.number();
  }

  static void lower_side(Turning& side, const Turning& other) {
    if (side.rotates && !other.rotates) side = other;
  }
  static void lower_sides(Trait& result, const Trait& x) {
    lower_side(result.answers, x.answers);
    lower_side(result.queries, x.queries);
  }

  /// The value is no longer equivariant on the side of an axis, because of node i.
  void lose(Trait& result, int along, int i) {
    if (along == axis::out) lower_side(result.answers, {false, i});
    if (along == axis::in) lower_side(result.queries, {false, i});
  }

  static void leave_columns(Trait& result, const Trait& x, Because i);

  static Trait leaf(int rows, int columns, double degree);

  /// Traits with the shape of x; each property is the weakest among all arguments.
  static Trait from(const Trait& x, std::initializer_list<const Trait*> all);

  Trait variable() const;

  /// The traits of f(s) for s >= 0 with the degree of X. The nodes of f come before this one.
  Trait of_spectral(int f, const Trait& x);

  /// The number, row or column to which node i reduces its argument x, or x and y.
  Trait reduced(int i, const Trait& x, const Trait& y);

  /// The traits of a function of singular values, node i of its argument x.
  Trait spectral(int i, const Trait& x);

 private:
  void visit_all();

  /// Updates the traits of states and W from their new values; returns whether any changed.
  bool update_states(int round);

  Trait joined(const Trait& old, const Trait& now, int at, int round);

  void check_states();

  Trait trait(int i);

  Trait entrywise_trait(int i);

  Graph& graph_;
  std::vector<ParameterProblem>& problems_;
  std::vector<Trait> traits_, states_;
  Trait weights_;
  std::optional<double> variable_degree_ = 1;
  double variable_high_ = infinite;
  std::vector<bool> changed_;  ///< traits changed in this round
  bool final_ = false, visited_ = false;
};

}  // namespace rarefact::formula
