#pragma once

/// One pass after another over the nodes of a formula, until what is known of its states changes no more.

#include <limits>

#include "optim/formula/calculus.hpp"

namespace rarefact::formula {

inline constexpr double infinite = std::numeric_limits<double>::infinity();

/// Powers up to here lift what rounding leaves of a zero far above it.
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

  void refuse(int i, std::string message) {
    // What is only suspected before all is known is not said.
    if (problems_.empty()) problems_.push_back({node(i).key, node(i).offset, std::move(message)});
  }

  /// Refuses arguments of the wrong shape.
  void require_matrix(int i);

  void refuse_sign(int i) { refuse(i, "the sign of an eigenvector is arbitrary and does not cancel here"); }

  static bool same_legs(const Trait& x, const Trait& y) {
    return x.rows == y.rows && x.columns == y.columns && !x.number();
  }

  static void lower_side(Turning& side, const Turning& other) {
    if (side.rotates && !other.rotates) side = other;
  }
  static void lower_sides(Trait& result, const Trait& x) {
    lower_side(result.answers, x.answers);
    lower_side(result.queries, x.queries);
  }

  static void lower_degree(Trait& result, const Trait& x, int because);

  /// That of a product of x and y.
  static void add_degrees(Trait& result, const Trait& x, const Trait& y);

  /// The side of a leg is no longer turned with, because of node i.
  void lose(Trait& result, int of_leg, int i) {
    if (of_leg == leg::out) lower_side(result.answers, {false, i});
    if (of_leg == leg::in) lower_side(result.queries, {false, i});
  }

  static void leave_columns(Trait& result, const Trait& x, Because i);

  static Trait leaf(int rows, int columns, double degree);

  /// A value of the shape of x whose properties are the lower of all arguments'.
  static Trait from(const Trait& x, std::initializer_list<const Trait*> all);

  /// The variable of a lambda.
  Trait variable() const;

  /// The calculus of f(s) for s >= 0 of the degree of X. The nodes of f come before this one.
  Trait of_spectral(int f, const Trait& x);

  /// A number, a row or a column that node i makes of its argument x, or of x and y.
  Trait reduced(int i, const Trait& x, const Trait& y);

  /// What node i makes of the singular values of its argument x.
  Trait spectral(int i, const Trait& x);

  /// Sets a degree, lost because of node i where its argument x had one.
  static void set_degree(Trait& result, std::optional<double> degree, const Trait& x, int i);

 private:
  void visit_all();

  /// What the states and W are after the update, as far as it is known now; whether that is news.
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
  std::vector<bool> changed_;  ///< traits that the present round changed
  bool final_ = false, visited_ = false;
};

}  // namespace rarefact::formula
