#include "optim/formula/calculus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "optim/formula/intervals.hpp"

namespace rarefact::formula {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
/// Rounds after which intervals that still grow are taken as unbounded.
constexpr int rounds_before_widening = 3;
/// Rounds of any formula: each of the properties falls a few times for each state at most.
constexpr int most_rounds = 1000;

class Calculus {
 public:
  Calculus(Graph& graph, std::vector<ParameterProblem>& problems) : graph_(graph), problems_(problems) {
    traits_.resize(graph.nodes.size());
    states_.resize(graph.states.size());
  }

  std::vector<Trait> run() {
    for (int round = 0; round < most_rounds && problems_.empty(); ++round) {
      visit_all();
      const bool changed = update_states(round);
      if (!changed && final_) break;
      final_ = !changed;
    }
    if (problems_.empty()) check_states();
    return std::move(traits_);
  }

 private:
  const Node& node(int i) const { return graph_.nodes[static_cast<std::size_t>(i)]; }
  const Trait& of(int i) const { return traits_[static_cast<std::size_t>(i)]; }

  void refuse(int i, std::string message) {
    // What is only suspected before all is known is not said.
    if (problems_.empty()) problems_.push_back({node(i).key, node(i).offset, std::move(message)});
  }

  void visit_all() {
    for (std::size_t i = 0; i < graph_.nodes.size() && problems_.empty(); ++i) {
      Node& here = graph_.nodes[i];
      // Equal legs: Σ x·y needs no matrix of products.
      if (final_ && here.op == Op::sum && here.left == Left::number) {
        const Node& inside = node(here.arguments[0]);
        if (inside.op == Op::multiply && same_legs(of(inside.arguments[0]), of(inside.arguments[1]))) {
          here.op = Op::inner;
          here.arguments = inside.arguments;
        }
      }
      traits_[i] = trait(static_cast<int>(i));
    }
  }

  static bool same_legs(const Trait& x, const Trait& y) {
    return x.rows == y.rows && x.columns == y.columns && !x.number();
  }

  /// What the states and W are after the update, as far as it is known now; whether that is news.
  bool update_states(int round) {
    bool changed = false;
    for (std::size_t s = 0; s < states_.size(); ++s) {
      const Trait next = joined(states_[s], of(graph_.states[s].after), graph_.states[s].before, round);
      changed = changed || !same(next, states_[s]);
      states_[s] = next;
    }
    Trait step = of(graph_.direction);
    if (!step.zero) step.low = -infinite, step.high = infinite, step.squared = step.gram = step.gradient = false;
    const Trait weights = joined(weights_, step, graph_.direction, round);
    changed = changed || !same(weights, weights_);
    weights_ = weights;
    return changed;
  }

  static bool same(const Trait& a, const Trait& b) {
    return a.zero == b.zero && a.rows == b.rows && a.columns == b.columns &&
           a.answers.rotates == b.answers.rotates && a.queries.rotates == b.queries.rotates &&
           a.in_columns == b.in_columns && a.degree == b.degree && a.any_degree == b.any_degree &&
           a.low == b.low && a.high == b.high && a.hoelder == b.hoelder && a.tie == b.tie &&
           a.squared == b.squared && a.gram == b.gram && a.gradient == b.gradient;
  }

  Trait joined(const Trait& old, const Trait& now, int at, int round) {
    if (now.zero) return old;
    Trait next = now;
    next.low = std::min(old.low, now.low);
    next.high = std::max(old.high, now.high);
    if (round >= rounds_before_widening) {
      if (next.low < old.low) next.low = next.low >= 0 ? 0 : -infinite;
      if (next.high > old.high) next.high = next.high <= 0 ? 0 : infinite;
    }
    if (old.zero) return next;
    if (old.rows != now.rows || old.columns != now.columns) {
      refuse(at, fmt::format("'{}' is {} at first and {} later", node(at).text, shape_text(old), shape_text(now)));
      return old;
    }
    lower_sides(next, old);
    lower_degree(next, old, at);
    next.in_columns = std::max(old.in_columns, now.in_columns);
    next.hoelder = std::min(old.hoelder, now.hoelder);
    next.tie = old.tie || now.tie;
    next.squared = old.squared && now.squared;
    next.gram = old.gram && now.gram;
    next.gradient = old.gradient && now.gradient;
    return next;
  }

  void check_states() {
    for (std::size_t s = 0; s < states_.size(); ++s) {
      const int before = graph_.states[s].before;
      if (states_[s].zero && problems_.empty())
        problems_.push_back({node(before).key, {}, fmt::format("state.{} never leaves zero", graph_.states[s].name)});
    }
    const Trait& d = of(graph_.direction);
    if (!problems_.empty()) return;
    if (d.zero) problems_.push_back({"direction", {}, "the direction is always zero"});
    else if (d.rows != leg::out || d.columns != leg::in)
      problems_.push_back({"direction", {}, fmt::format("the direction is {}; W is d_out x d_in", shape_text(d))});
  }

  static void lower_side(Turning& side, const Turning& other) {
    if (side.rotates && !other.rotates) side = other;
  }
  static void lower_sides(Trait& result, const Trait& x) {
    lower_side(result.answers, x.answers);
    lower_side(result.queries, x.queries);
  }

  static void lower_degree(Trait& result, const Trait& x, int because) {
    if (x.any_degree) return;
    if (result.any_degree) {
      result.degree = x.degree;
      result.any_degree = false;
      result.degree_because = x.degree_because;
    } else if (!result.degree || !x.degree || std::abs(*result.degree - *x.degree) > 1e-12) {
      if (result.degree) result.degree_because = x.degree ? because : x.degree_because;
      result.degree.reset();
    }
  }

  /// The side of a leg is no longer turned with, because of node i.
  void lose(Trait& result, int of_leg, int i) {
    if (of_leg == leg::out) lower_side(result.answers, {false, i});
    if (of_leg == leg::in) lower_side(result.queries, {false, i});
  }

  static void leave_columns(Trait& result, const Trait& x, int i) {
    if (result.in_columns == InColumns::no) return;
    result.in_columns = InColumns::no;
    result.columns_because = x.in_columns == InColumns::no ? x.columns_because : i;
  }

  Trait leaf(int rows, int columns, double degree) {
    Trait x;
    x.zero = false;
    x.rows = rows;
    x.columns = columns;
    x.in_columns = InColumns::yes;
    x.degree = degree;
    x.any_degree = false;
    x.low = -infinite;
    x.high = infinite;
    x.squared = x.gram = x.gradient = false;
    return x;
  }

  /// A value of the shape of x whose properties are the lower of all arguments'.
  Trait from(const Trait& x, std::initializer_list<const Trait*> all) {
    Trait result = x;
    result.squared = result.gram = result.gradient = false;
    for (const Trait* one : all) {
      lower_sides(result, *one);
      result.hoelder = std::min(result.hoelder, one->hoelder);
      result.tie = result.tie || one->tie;
      if (one->in_columns == InColumns::no) leave_columns(result, *one, one->columns_because);
    }
    return result;
  }

  Trait trait(int i) {
    const Node& here = node(i);
    switch (here.op) {
      case Op::number: {
        Trait x = leaf(leg::one, leg::one, 0);
        x.low = x.high = here.number;
        x.any_degree = here.number == 0;
        return x;
      }
      case Op::variable: {
        Trait x = leaf(leg::one, leg::one, variable_degree_.value_or(0));
        if (!variable_degree_) x.degree.reset();
        x.low = 0;
        return x;
      }
      case Op::step:
      case Op::size: {
        Trait x = leaf(leg::one, leg::one, 0);
        x.low = 1;
        return x;
      }
      case Op::gradient: {
        Trait x = leaf(leg::out, leg::in, 1);
        x.gradient = true;
        return x;
      }
      case Op::task:
        return leaf(leg::answers, leg::queries, 1);
      case Op::weights:
        return weights_;
      case Op::second_moment: {
        Trait x = leaf(leg::in, leg::in, 0);
        x.in_columns = InColumns::diagonal;
        x.gram = true;
        return x;
      }
      case Op::state:
        return states_[static_cast<std::size_t>(here.number)];
      default:
        break;
    }
    if (entrywise(here.op)) return entrywise_trait(i);
    if (here.op >= Op::sum && here.op <= Op::spectral_norm) return reduced(i);
    return of_matrices(i);
  }

  // Entry by entry.

  /// The legs of two values side by side; a leg of one stretches.
  void stretch(Trait& result, const Trait& y, const Trait& x, int i, std::size_t k) {
    const auto common = [&](int a, int b) { return a == b || b == leg::one ? a : a == leg::one ? b : -2; };
    const int rows = common(result.rows, y.rows), columns = common(result.columns, y.columns);
    if (rows == -2 || columns == -2) {
      const auto& a = node(i).arguments;
      const char* what = node(i).op == Op::add && node(i).number == 1 ? "added"
                         : node(i).op == Op::add                      ? "subtracted"
                         : node(i).op == Op::multiply                 ? "multiplied entry by entry (@ is the product of matrices)"
                         : node(i).op == Op::divide                   ? "divided"
                                                                      : "combined";
      refuse(i, fmt::format("{} is {} and {} is {}: they cannot be {}", node(a.front()).text, shape_text(x),
                            node(a[k]).text, shape_text(y), what));
      return;
    }
    result.rows = rows;
    result.columns = columns;
  }

  Trait entrywise_trait(int i) {
    const Node& here = node(i);
    std::vector<Trait> x;
    bool all_zero = true;
    for (const int a : here.arguments) {
      x.push_back(of(a));
      all_zero = all_zero && x.back().zero;
    }
    const bool product = here.op == Op::multiply || here.op == Op::divide;
    if (product && (x[0].zero || x[1].zero)) return {};
    if (all_zero && here.op != Op::exponential && here.op != Op::logarithm) return {};
    if (here.op == Op::add && (x[0].zero || x[1].zero)) {
      Trait rest = x[0].zero ? x[1] : x[0];
      if (x[0].zero && here.number < 0) {
        std::swap(rest.low, rest.high);
        rest.low = -rest.low, rest.high = -rest.high;
        rest.squared = rest.gram = false;
      }
      return rest;
    }
    for (Trait& one : x) {
      if (one.zero) one = leaf(leg::one, leg::one, 0), one.low = one.high = 0, one.any_degree = true;
    }
    Trait result = x[0];
    for (std::size_t k = 1; k < x.size(); ++k) stretch(result, x[k], x[0], i, k);
    if (!problems_.empty()) return result;
    const int rows = result.rows, columns = result.columns;
    const Trait shape = result;
    result = from(shape, {});
    for (const Trait& one : x) result = from(result, {&one});
    lose_entrywise(i, x, result, rows, columns);
    columns_entrywise(i, x, result);
    degree_entrywise(i, x, result);
    std::vector<Bounds> bounds;
    for (const Trait& one : x) bounds.push_back({one.low, one.high});
    if (const std::string wrong = forbidden(here, bounds); final_ && !wrong.empty())
      refuse(i, fmt::format("{} of {}, which may be {}", here.op == Op::root ? "sqrt" : here.op == Op::logarithm ? "log" : here.op == Op::raise ? "a power" : fmt::format("power {}", here.number),
                            node(here.arguments[0]).text, wrong));
    const Bounds b = bounds_of(here, bounds);
    result.low = b.low;
    result.high = b.high;
    // An even power of what may be negative.
    if (here.op == Op::multiply && here.arguments[0] == here.arguments[1]) result.low = std::max(0.0, result.low);
    hoelder_entrywise(i, x, result);
    parity_entrywise(i, x, result);
    held_entrywise(i, x, result);
    return result;
  }

  void lose_entrywise(int i, const std::vector<Trait>& x, Trait& result, int rows, int columns) {
    const Op op = node(i).op;
    if (op == Op::add) {
      for (const Trait& one : x) {
        if (one.low == 0 && one.high == 0) continue;
        if (one.rows != rows) lose(result, rows, i);
        if (one.columns != columns) lose(result, columns, i);
      }
    } else if (op == Op::multiply) {
      if (x[0].rows == x[1].rows) lose(result, rows, i);
      if (x[0].columns == x[1].columns) lose(result, columns, i);
    } else if (op == Op::divide) {
      lose(result, x[1].rows, i);
      lose(result, x[1].columns, i);
    } else {
      lose(result, rows, i);
      lose(result, columns, i);
    }
  }

  void columns_entrywise(int i, const std::vector<Trait>& x, Trait& result) {
    const Op op = node(i).op;
    bool yes = true, diagonals = true;
    for (const Trait& one : x) {
      yes = yes && one.in_columns == InColumns::yes;
      diagonals = diagonals && one.in_columns == InColumns::diagonal;
    }
    const auto number_beside = [&](std::size_t number, std::size_t diagonal) {
      return x[number].number() && x[number].in_columns == InColumns::yes && x[diagonal].in_columns == InColumns::diagonal;
    };
    const bool stays_diagonal = (op == Op::add && diagonals) ||
                                (op == Op::multiply && (number_beside(0, 1) || number_beside(1, 0))) ||
                                (op == Op::divide && number_beside(1, 0));
    if (stays_diagonal) {
      result.in_columns = InColumns::diagonal;
    } else if (yes) {
      result.in_columns = InColumns::yes;
    } else {
      leave_columns(result, result, i);
    }
    // Column matrices have nothing that runs along the rows.
    if (result.in_columns == InColumns::yes && !result.number() && result.columns == leg::one) leave_columns(result, result, i);
  }

  void degree_entrywise(int i, const std::vector<Trait>& x, Trait& result) {
    const Node& here = node(i);
    result.degree_because = -1;
    const auto known = [&](std::optional<double> degree, int because) {
      result.degree = degree;
      result.any_degree = false;
      result.degree_because = degree ? -1 : because;
    };
    const auto because_of = [&](std::size_t k) { return x[k].degree ? i : x[k].degree_because; };
    switch (here.op) {
      case Op::multiply:
      case Op::divide: {
        if (x[0].any_degree) return void(result.any_degree = true);
        const double sign = here.op == Op::multiply ? 1 : -1;
        const double own = x[1].any_degree ? 0 : x[1].degree.value_or(0);
        if (x[0].degree && x[1].degree) return known(*x[0].degree + sign * own, i);
        return known({}, because_of(x[0].degree ? 1 : 0));
      }
      case Op::power:
        return x[0].degree ? known(*x[0].degree * here.number, i) : known({}, because_of(0));
      case Op::root:
        return x[0].degree ? known(*x[0].degree / 2, i) : known({}, because_of(0));
      case Op::sign:
        return x[0].degree ? known(0, i) : known({}, because_of(0));
      case Op::absolute:
        result.degree = x[0].degree;
        result.any_degree = x[0].any_degree;
        result.degree_because = x[0].degree_because;
        return;
      case Op::exponential:
      case Op::logarithm:
      case Op::tangent:
      case Op::raise: {
        bool none = true;
        for (const Trait& one : x) none = none && (one.any_degree || (one.degree && *one.degree == 0));
        return none ? known(0, i) : known({}, i);
      }
      case Op::where: {
        Trait compared = x[0];
        lower_degree(compared, x[1], i);
        result.degree = x[2].degree;
        result.any_degree = x[2].any_degree;
        result.degree_because = x[2].degree_because;
        lower_degree(result, x[3], i);
        if (!compared.degree && !compared.any_degree) known({}, compared.degree_because);
        return;
      }
      default:
        result.degree = x[0].degree;
        result.any_degree = x[0].any_degree;
        result.degree_because = x[0].degree_because;
        lower_degree(result, x[1], i);
    }
  }

  void hoelder_entrywise(int i, const std::vector<Trait>& x, Trait& result) {
    const Node& here = node(i);
    if (here.op == Op::divide && !(x[1].low > 0) && !norm_of_matrix(here.arguments[1])) result.hoelder = 0;
    if (here.op == Op::root && !x[0].squared) result.hoelder /= 2;
    if (here.op == Op::power && here.number < 1) result.hoelder *= std::max(0.0, here.number) * (x[0].squared ? 2 : 1);
    if (here.op == Op::sign || here.op == Op::where) result.hoelder = 0;
    if (here.op == Op::logarithm && !(x[0].low > 0)) result.hoelder = 0;
    result.hoelder = std::min(result.hoelder, 1.0);
  }

  /// A number that is zero only where all of a matrix is: what it divides keeps its proportions.
  bool norm_of_matrix(int i) const {
    const Node& here = node(i);
    if (here.op == Op::nuclear || here.op == Op::spectral_norm || here.op == Op::step || here.op == Op::size) return true;
    if (here.op == Op::norm || here.op == Op::largest) return here.left == Left::number;
    if (here.op == Op::number) return here.number > 0;
    const bool kept = here.op == Op::multiply || here.op == Op::divide || here.op == Op::power || here.op == Op::root ||
                      (here.op == Op::add && here.number == 1);
    return kept && std::ranges::all_of(here.arguments, [this](int a) { return norm_of_matrix(a); });
  }

  void parity_entrywise(int i, const std::vector<Trait>& x, Trait& result) {
    const Node& here = node(i);
    for (const auto odd : {&Trait::odd_rows, &Trait::odd_columns}) {
      const auto count = std::ranges::count_if(x, [odd](const Trait& one) { return one.*odd; });
      result.*odd = count % 2 == 1;
      if (count == 0) continue;
      bool cancels = true;
      if (here.op == Op::add) {
        cancels = count == 2;
        result.*odd = true;
      } else if (here.op == Op::power) {
        cancels = std::floor(here.number) == here.number;
        result.*odd = std::fmod(here.number, 2) != 0;
      } else if (here.op == Op::absolute) {
        result.*odd = false;
      } else if (here.op != Op::multiply && here.op != Op::divide && here.op != Op::sign && here.op != Op::tangent) {
        cancels = false;
      }
      if (!cancels) refuse(i, sign_stays);
    }
  }

  /// As which representation a value is held.
  void held_entrywise(int i, const std::vector<Trait>& x, Trait& result) {
    const Node& here = node(i);
    const auto number_beside = [&](std::size_t k) { return x[k].number() && x[k].low >= 0; };
    const bool both = x.size() == 2;
    const bool scaled = both && ((here.op == Op::multiply && (number_beside(0) || number_beside(1))) ||
                                 (here.op == Op::divide && number_beside(1)));
    const auto has = [&](bool Trait::*held, bool with_numbers) {
      if (!both) return false;
      const bool x0 = x[0].*held, x1 = x[1].*held;
      if (scaled) return (x0 && number_beside(1)) || (here.op == Op::multiply && x1 && number_beside(0));
      if (here.op == Op::add && here.number == 1)
        return (x0 && x1) || (with_numbers && ((x0 && number_beside(1)) || (x1 && number_beside(0))));
      return false;
    };
    if (!result.number()) {
      result.squared = has(&Trait::squared, true) || (here.op == Op::power && here.number == 2);
      if (both && x[0].squared && x[1].squared)
        result.squared = result.squared || here.op == Op::multiply || here.op == Op::divide ||
                         here.op == Op::minimum || here.op == Op::maximum;
      result.gram = has(&Trait::gram, false);
    }
    const bool by_number = both && ((here.op == Op::multiply && (x[0].number() || x[1].number())) ||
                                    (here.op == Op::divide && x[1].number()));
    if (by_number) result.gradient = x[0].gradient || x[1].gradient;
    if (here.op == Op::add) result.gradient = x[0].gradient && x[1].gradient;
  }

  // Of rows, columns and all.

  Trait reduced(int i) {
    const Node& here = node(i);
    const Trait x = of(here.arguments[0]);
    if (x.zero) return {};
    const bool two = here.op == Op::inner;
    const Trait y = two ? of(here.arguments[1]) : x;
    if (y.zero) return {};
    if (two && !same_legs(x, y))
      refuse(i, fmt::format("{} is {} and {} is {}: they have no inner product", node(here.arguments[0]).text,
                            shape_text(x), node(here.arguments[1]).text, shape_text(y)));
    if (here.op == Op::trace && (!x.matrix() || x.rows != x.columns))
      refuse(i, fmt::format("{} is {}, not square", node(here.arguments[0]).text, shape_text(x)));
    const bool of_spectrum = here.op == Op::nuclear || here.op == Op::spectral_norm;
    if (of_spectrum && !x.matrix())
      refuse(i, fmt::format("{} is {}, no matrix", node(here.arguments[0]).text, shape_text(x)));
    Trait result = from(x, {&y});
    result.rows = here.left == Left::rows ? x.rows : leg::one;
    result.columns = here.left == Left::columns ? x.columns : leg::one;
    const bool all = here.left == Left::number;
    const int kept_leg = here.left == Left::rows ? x.rows : x.columns;
    const int gone_leg = here.left == Left::rows ? x.columns : x.rows;
    if (here.op == Op::largest || (here.op == Op::sum && all)) {
      lose(result, x.rows, i);
      lose(result, x.columns, i);
    } else if (here.op == Op::sum) {
      lose(result, gone_leg, i);
    } else if (here.op == Op::norm && !all) {
      lose(result, kept_leg, i);
    }
    if (here.left == Left::rows && !x.number()) leave_columns(result, x, i);
    if (here.left == Left::columns && x.in_columns == InColumns::diagonal) result.in_columns = InColumns::yes;
    if (all && x.in_columns != InColumns::no && y.in_columns == x.in_columns) result.in_columns = InColumns::yes;
    if (two) {
      if (x.degree && y.degree) result.degree = *x.degree + *y.degree;
      else if (x.degree) result.degree.reset(), result.degree_because = y.degree_because;
    }
    const bool positive = here.op == Op::norm || here.op == Op::largest || of_spectrum || (here.op == Op::trace && x.gram);
    result.low = positive || (x.low >= 0 && y.low >= 0 && here.op != Op::trace) ? 0 : -infinite;
    result.high = infinite;
    if (here.op == Op::sum && x.low > 0) result.low = x.low;
    const bool odd_gone = (all || here.left == Left::columns ? x.odd_rows : false) ||
                          (all || here.left == Left::rows ? x.odd_columns : false);
    const bool unequal = two && (x.odd_rows != y.odd_rows || x.odd_columns != y.odd_columns);
    if ((here.op == Op::sum && odd_gone) || unequal || (here.op == Op::trace && x.odd_rows != x.odd_columns)) refuse(i, sign_stays);
    result.odd_rows = here.op == Op::sum && here.left == Left::rows && x.odd_rows;
    result.odd_columns = here.op == Op::sum && here.left == Left::columns && x.odd_columns;
    result.squared = here.op == Op::sum && !all && x.squared;
    return result;
  }

  // Of matrices.

  Trait of_matrices(int i) {
    const Node& here = node(i);
    const int a = here.arguments[0];
    const Trait x = of(a);
    if (x.zero) return {};
    if (here.op == Op::product) return product(i);
    if (here.op == Op::transpose) return transposed(i, x);
    if (here.op == Op::ambient) {
      if (x.rows != leg::answers || x.columns != leg::queries)
        refuse(i, fmt::format("ambient is of values of T, answers x queries, and {} is {}", node(a).text, shape_text(x)));
      Trait result = from(x, {});
      result.rows = leg::out;
      result.columns = leg::in;
      result.low = -infinite, result.high = infinite;
      return result;
    }
    if (!x.matrix()) {
      refuse(i, fmt::format("{} is {}, no matrix", node(a).text, shape_text(x)));
      return x;
    }
    Trait result = from(x, {});
    result.low = -infinite, result.high = infinite;
    if (result.in_columns != InColumns::diagonal) leave_columns(result, x, i);
    const auto degree = [&](std::optional<double> known, bool any = false) {
      result.degree = known;
      result.any_degree = any;
      result.degree_because = known ? -1 : x.degree ? i : x.degree_because;
    };
    switch (here.op) {
      case Op::spectral: {
        const Trait f = of_spectral(here.arguments[1], x);
        result.hoelder = std::min(x.hoelder, f.hoelder * x.hoelder);
        lower_sides(result, f);
        degree(f.degree, f.any_degree);
        break;
      }
      case Op::spectral_power:
        if (x.degree) degree(*x.degree * here.number); else degree({});
        result.hoelder = here.number <= 0 ? 0 : std::min(1.0, here.number * x.hoelder * (x.gram ? 2 : 1));
        if (here.number == 0) result.low = -1, result.high = 1;
        result.gradient = x.gradient && !x.gram;
        break;
      case Op::smooth_polar:
        if (here.number == 0 && x.degree) degree(0); else degree({});
        if (here.number == 0) result.hoelder = 0;
        break;
      case Op::polynomial:
        if (here.polynomial.norm_offset == 0 && x.degree) degree(0); else degree({});
        break;
      case Op::top:
        leave_columns(result, x, i);
        result.tie = true;
        result.hoelder = 0;
        result.gradient = x.gradient;
        break;
      default:  // eigenbasis
        if (!x.gram && final_)
          refuse(i, fmt::format("eigenbasis is of sums of X @ X.T, and {} is none", node(a).text));
        leave_columns(result, x, i);
        result.columns = leg::first_basis + i;
        result.odd_columns = true;
        result.tie = true;
        result.hoelder = 0;
        if (x.degree) degree(0); else degree({});
    }
    return result;
  }

  /// The calculus of f(s) for s >= 0 of the degree of X. The nodes of f come before this one.
  Trait of_spectral(int f, const Trait& x) {
    std::vector<int> todo = {f}, needed;
    while (!todo.empty()) {
      const int i = todo.back();
      todo.pop_back();
      needed.push_back(i);
      todo.insert(todo.end(), node(i).arguments.begin(), node(i).arguments.end());
    }
    std::ranges::sort(needed);
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    variable_degree_ = x.degree;
    const auto before = traits_;
    for (const int i : needed) traits_[static_cast<std::size_t>(i)] = trait(i);
    const Trait result = of(f);
    traits_ = before;
    variable_degree_ = 1;
    if (!result.zero && !result.number())
      refuse(f, fmt::format("{} is {}, not a number for each singular value", node(f).text, shape_text(result)));
    return result;
  }

  Trait product(int i) {
    const auto& a = node(i).arguments;
    const Trait x = of(a[0]), y = of(a[1]);
    if (y.zero) return {};
    if (x.columns != y.rows || x.columns == leg::one) {
      refuse(i, fmt::format("{} is {} and {} is {}: they have no product", node(a[0]).text, shape_text(x),
                            node(a[1]).text, shape_text(y)));
      return x;
    }
    if (x.odd_columns != y.odd_rows) refuse(i, sign_stays);
    Trait result = from(x, {&y});
    result.rows = x.rows;
    result.columns = y.columns;
    result.odd_columns = y.odd_columns;
    if (!x.matrix() || y.in_columns != InColumns::diagonal) leave_columns(result, y, i);
    if (x.degree && y.degree) result.degree = *x.degree + *y.degree;
    else if (x.degree) result.degree.reset(), result.degree_because = y.degree_because;
    result.any_degree = x.any_degree || y.any_degree;
    result.low = x.low >= 0 && y.low >= 0 ? 0 : -infinite;
    result.high = infinite;
    const auto transpose_of = [this](int t, int of) { return node(t).op == Op::transpose && node(t).arguments[0] == of; };
    result.gram = result.matrix() && (transpose_of(a[1], a[0]) || transpose_of(a[0], a[1]));
    result.gradient = x.gradient;
    return result;
  }

  Trait transposed(int i, const Trait& x) {
    Trait result = x;
    std::swap(result.rows, result.columns);
    std::swap(result.odd_rows, result.odd_columns);
    result.gradient = false;
    if (result.in_columns == InColumns::yes && !x.number()) leave_columns(result, x, i);
    return result;
  }

  static constexpr char sign_stays[] = "the sign of an eigenvector is arbitrary and does not cancel here";

  Graph& graph_;
  std::vector<ParameterProblem>& problems_;
  std::vector<Trait> traits_, states_;
  Trait weights_;
  std::optional<double> variable_degree_ = 1;
  bool final_ = false;
};

}  // namespace

std::vector<Trait> traits_of(Graph& graph, std::vector<ParameterProblem>& problems) {
  return Calculus(graph, problems).run();
}

void take_factors(Graph& graph, const std::vector<Trait>& traits) {
  for (;;) {
    const Node& node = graph.nodes[static_cast<std::size_t>(graph.direction)];
    const auto number = [&](std::size_t k) { return traits[static_cast<std::size_t>(node.arguments[k])].number(); };
    if (node.op == Op::multiply && number(0)) {
      graph.factors.push_back(node.arguments[0]);
      graph.direction = node.arguments[1];
    } else if (node.op == Op::multiply && number(1)) {
      graph.factors.push_back(node.arguments[1]);
      graph.direction = node.arguments[0];
    } else if (node.op == Op::divide && number(1)) {
      graph.divisors.push_back(node.arguments[1]);
      graph.direction = node.arguments[0];
    } else {
      return;
    }
  }
}

std::string shape_text(const Trait& trait) {
  const auto name = [](int one) -> std::string {
    static const char* const names[] = {"1", "d_out", "d_in", "answers", "queries"};
    return one < 0 ? "?" : one < leg::first_basis ? names[one] : "eigenvectors";
  };
  if (trait.number()) return "a number";
  return fmt::format("{} x {}", name(trait.rows), name(trait.columns));
}

}  // namespace rarefact::formula
