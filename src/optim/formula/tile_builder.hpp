#pragma once

/// Compiles the entrywise operations of a level to instructions, with the units of the values.

#include <array>
#include <utility>

#include "optim/formula/numbers.hpp"
#include "optim/formula/schedule.hpp"
#include "optim/formula/value.hpp"

namespace rarefact::formula {

/// The source of an operand.
template <class Real>
struct TileSource {
  enum Kind { none, result, plane, across, along, single } kind = none;
  int at = -1;  ///< instruction, or node; -1: `number`
  Real number = Real(0);
};

template <class Real>
struct TileUnit {
  TileSource<Real> source;
  int exponent = 0;
  bool root = false;  ///< the value is r², r in units of 2^exponent
};

template <class Real>
class TileBuilder {
 public:
  using Source = TileSource<Real>;
  using Unit = TileUnit<Real>;
  static constexpr Kernels<Real> kernels = {};

  /// `numbers`: the scalars and vectors of each node.
  TileBuilder(const Compiled& rule, const Schedule& schedule, const TileGroup& group,
              const std::vector<Numbers<Real>*>& numbers)
      : rule_(rule), schedule_(schedule), group_(group), numbers_(numbers), in_group_(rule.traits.size()) {
    for (const int i : group.nodes) in_group_[i] = true;
  }

  /// Makes the program for the current units and numbers of the values, unless it is made.
  void build() {
    if (!is_made()) make();
    for (const Instruction& here : instructions_)
      if (here.node >= 0) numbers_[here.node]->exponent = here.exponent;
  }

  /// Operands with units so far apart that one may be tiny, or zero, in its own unit and must be rescaled.
  const std::vector<int>& far_apart() const { return far_apart_; }

  /// A minimum or maximum in a unit in which the entries of one argument vanish, though they may be those taken; -1: none.
  int vanishing() const { return vanishing_; }

  // Instructions that the rows of operations emit for node i.

  TileKernel<Real> kernel_of(int i) const { return node(i).op->value.template kernel<Real>(); }

  /// x + sign·y.
  Unit sum(int i, double sign) {
    const bool root = trait(i).squared;
    std::array a = {node(i).arguments[0], node(i).arguments[1]};
    Real single(1), other(sign);
    const Unit x = taken_apart(a[0], single, root), y = taken_apart(a[1], other, root);
    const int e = common(std::array{x, y}, a);
    const auto [of_x, by_x] = converted(x, e);
    const auto [of_y, by_y] = converted(y, e);
    const auto kernel = root                       ? Kernels<Real>::hypotenuse
                        : schedule_.exact_zeros[i] ? Kernels<Real>::exact_zeros
                                                   : Kernels<Real>::combine;
    return add({kernel, {Real(single * by_x), Real(other * by_y)}}, {of_x, of_y}, e, root);
  }

  Unit product(int i) {
    const auto& a = node(i).arguments;
    const bool root = trait(i).squared;
    const Unit x = taken_as(a[0], root), y = taken_as(a[1], root);
    const int e = exponent_of_product(x.exponent, y.exponent);
    if (x.source.kind == Source::single && !trait(a[1]).number())
      return add({Kernels<Real>::scale, {fixed(x.source)}}, {y.source}, e, root);
    return add({Kernels<Real>::multiply}, {x.source, y.source}, e, root);
  }

  Unit quotient(int i) {
    const auto& a = node(i).arguments;
    const bool root = trait(i).squared;
    const Unit x = taken_as(a[0], root), y = taken_as(a[1], root);
    const int divisor = y.exponent == zero_exponent ? 0 : y.exponent;
    const int e = x.exponent == zero_exponent ? zero_exponent : x.exponent - divisor;
    const bool by_number =
        y.source.kind == Source::single && !(y.source.number == Real(0)) && !trait(a[0]).number();
    if (by_number) return add({Kernels<Real>::scale, {Real(Real(1) / fixed(y.source))}}, {x.source}, e, root);
    return add({Kernels<Real>::divide}, {x.source, y.source}, e, root);
  }

  /// x**p of a value in units of 2^e: 2^(ep) is a power of two and a factor below 2.
  Unit power(int i) {
    using std::pow;
    const int a = node(i).arguments[0];
    const double p = node(i).number;
    if (trait(i).squared) {
      const Unit x = plain(a);
      return add({Kernels<Real>::absolute}, {x.source}, x.exponent, true);
    }
    const Unit x = unit(a);
    const double by = x.root ? 2 * p : p;
    TileInstruction<Real> operation{.kernel = kernel_of(i), .number = by};
    if (x.exponent == zero_exponent) return add(operation, {x.source}, p == 0 ? 0 : zero_exponent);
    const double exact = x.exponent * by;
    const double whole = std::floor(exact);
    operation.scale = pow(Real(2), Real(exact - whole));
    return add(operation, {x.source}, static_cast<int>(whole));
  }

  Unit root(int i) {
    const Unit x = unit(node(i).arguments[0]);
    if (x.root && x.source.kind == Source::result && !schedule_.stored[i]) return {x.source, x.exponent};
    if (x.root) return add({Kernels<Real>::scale}, {x.source}, x.exponent);
    if (x.exponent == zero_exponent) return add({Kernels<Real>::root}, {x.source}, zero_exponent);
    const int odd = x.exponent & 1;
    return add({Kernels<Real>::root, {Real(1 << odd)}}, {x.source}, (x.exponent - odd) / 2);
  }

  Unit logarithm(int i) {
    using std::log;
    const Unit x = plain(node(i).arguments[0]);
    const Unit rest = add({kernel_of(i)}, {x.source}, 0);
    if (x.exponent == zero_exponent) return rest;
    const Source unit{Source::single, -1, Real(Real(x.exponent) * log(Real(2)))};
    return add({Kernels<Real>::combine}, {rest.source, unit}, 0);
  }

  /// Converts arguments to one unit, which is also the result's: by default that of the largest.
  Unit in_one_unit(int i, TileKernel<Real> kernel, std::optional<int> exponent = {}) {
    const auto& a = node(i).arguments;
    const bool root = trait(i).squared;
    std::vector<Unit> x;
    for (const int argument : a) x.push_back(taken_as(argument, root));
    const int e = exponent ? *exponent : common(x, a);
    TileInstruction<Real> operation{.kernel = kernel};
    std::vector<Source> sources;
    for (const Unit& argument : x) {
      const auto [source, by] = converted(argument, e);
      operation.factor[sources.size()] = by;
      sources.push_back(source);
    }
    return add(operation, sources, e, root);
  }

  /// The minimum or maximum of two values. An argument in a larger unit whose sign keeps it from being taken beside entries
  /// of the smaller one is brought to the smaller unit, where it may be anything larger.
  Unit extreme(int i, bool smallest) {
    const auto& a = node(i).arguments;
    const bool root = trait(i).squared;
    const std::array x = {taken_as(a[0], root), taken_as(a[1], root)};
    const std::size_t larger = x[0].exponent > x[1].exponent ? 0 : 1;
    const Trait& sign = trait(a[larger]);
    const int lower = x[1 - larger].exponent;
    const bool apart = lower != zero_exponent && x[larger].exponent - lower > far,
               beyond = smallest ? sign.low >= 0 : sign.high <= 0;
    const int e = apart && beyond ? lower : common(x, a);
    if (e != lower && apart && x[larger].exponent - lower > max_shift) vanishing_ = i;
    TileInstruction<Real> operation{.kernel = smallest ? kernels.minimum : kernels.maximum};
    std::vector<Source> sources;
    for (const Unit& argument : x) {
      const auto [source, by] = argument.exponent > e && e != zero_exponent
                                    ? std::pair(argument.source, raised(argument, e))
                                    : converted(argument, e);
      operation.factor[sources.size()] = by;
      sources.push_back(source);
    }
    return add(operation, sources, e, root);
  }

  /// The first argument between the others. If 0 may lie between these, the smallest unit has all that is taken.
  Unit clipped(int i) {
    const auto& a = node(i).arguments;
    const std::array x = {plain(a[0]), plain(a[1]), plain(a[2])};
    const int bounds = std::max(x[1].exponent, x[2].exponent);
    const bool about_zero = trait(a[1]).low <= 0 && trait(a[2]).high >= 0;
    int e = bounds;
    if (bounds == zero_exponent)
      e = x[0].exponent;
    else if (about_zero && x[0].exponent != zero_exponent)
      e = std::min(bounds, x[0].exponent);
    return add({kernel_of(i), {raised(x[0], e), raised(x[1], e), raised(x[2], e)}},
               {x[0].source, x[1].source, x[2].source}, e);
  }

  Unit selection(int i) {
    const auto& a = node(i).arguments;
    const Unit p = plain(a[0]), q = plain(a[1]), x = plain(a[2]), y = plain(a[3]);
    const int compared = common(std::array{p, q}, std::array{a[0], a[1]}),
              e = common(std::array{x, y}, std::array{a[2], a[3]});
    const auto [of_p, by_p] = converted(p, compared);
    const auto [of_q, by_q] = converted(q, compared);
    const auto [of_x, by_x] = converted(x, e);
    const auto [of_y, by_y] = converted(y, e);
    return add({kernel_of(i), {by_p, by_q, by_x, by_y}}, {of_p, of_q, of_x, of_y}, e);
  }

 protected:
  struct Instruction {
    TileInstruction<Real> operation;
    Source x[4];
    std::size_t arguments = 0;
    int node = -1;     ///< node whose stored value it writes; -1: none
    int exponent = 0;  ///< of that value
    int of = -1;       ///< node to which it belongs
  };

  const Node& node(int i) const { return rule_.graph.nodes[i]; }
  const Trait& trait(int i) const { return rule_.traits[i]; }

  const Compiled& rule_;
  const Schedule& schedule_;
  const TileGroup& group_;
  std::vector<Instruction> instructions_;
  bool has_vectors_ = false;

 private:
  /// A value stored before this program runs.
  struct Input {
    int node, exponent;
    Real number;
    bool fixed = false;  ///< the number is in an instruction
  };

  bool is_made() const {
    return !instructions_.empty() && far_apart_.empty() &&
           std::ranges::all_of(inputs_, [this](const Input& x) {
             const Numbers<Real>& now = *numbers_[x.node];
             return now.exponent == x.exponent && (!x.fixed || now.numbers(0) == x.number);
           });
  }

  void make() {
    instructions_.clear();
    inputs_.clear();
    far_apart_.clear();
    vanishing_ = -1;
    has_vectors_ = false;
    of_node_.assign(rule_.traits.size(), {});
    for (const int i : group_.nodes) {
      if (!schedule_.stored[i]) continue;
      const Unit unit = emit(i);
      instructions_[unit.source.at].node = i;
      instructions_[unit.source.at].exponent = unit.exponent;
    }
  }

  /// A number that becomes part of an instruction.
  Real fixed(const Source& single) {
    for (Input& x : inputs_) x.fixed = x.fixed || x.node == single.at;
    return single.number;
  }

  Unit add(TileInstruction<Real> operation, const std::vector<Source>& x, int exponent, bool root = false) {
    Instruction& made = instructions_.emplace_back();
    made.operation = operation;
    made.arguments = x.size();
    made.of = now_;
    std::copy(x.begin(), x.end(), made.x);
    return {{Source::result, static_cast<int>(instructions_.size()) - 1, Real(0)}, exponent, root};
  }

  /// A value stored before this program runs.
  Unit stored(int i) {
    const Trait& x = trait(i);
    const Numbers<Real>& v = *numbers_[i];
    inputs_.push_back({i, v.exponent, x.number() ? v.numbers(0) : Real(0)});
    if (x.number()) return {{Source::single, i, v.numbers(0)}, v.exponent};
    Source source{Source::plane, i, Real(0)};
    const bool matrices = group_.rows != axis::single && group_.columns != axis::single;
    if (matrices && !x.matrix()) source.kind = x.rows == axis::single ? Source::across : Source::along;
    has_vectors_ = has_vectors_ || source.kind != Source::plane;
    return {source, v.exponent, x.squared};
  }

  Unit unit(int i) {
    std::optional<Unit>& known = of_node_[i];
    if (!known) known = in_group_[i] ? emit(i) : stored(i);
    return *known;
  }

  Unit plain(int i) {
    const Unit x = unit(i);
    return x.root ? add({Kernels<Real>::square}, {x.source}, exponent_of_product(x.exponent, x.exponent)) : x;
  }

  /// The root of a sum of squares, or of a number.
  Unit rooted(int i) {
    using std::sqrt;
    Unit x = unit(i);
    if (x.root) return x;
    const int odd = x.exponent & 1;
    x.source = {Source::single, -1, sqrt(Real(fixed(x.source) * Real(1 << odd)))};
    return {x.source, x.exponent == zero_exponent ? zero_exponent : (x.exponent - odd) / 2, true};
  }

  Unit taken_as(int i, bool root) { return root ? rooted(i) : plain(i); }

  /// The factor that converts a value to units of 2^exponent.
  static Real factor(const Unit& x, int exponent) { return power_of_two<Real>(x.exponent - exponent); }

  /// The same, but finite: a value far above the unit only has to remain so.
  static Real raised(const Unit& x, int exponent) {
    const bool zero = x.exponent == zero_exponent || exponent == zero_exponent;
    return zero ? Real(1) : power_of_two<Real>(std::min(x.exponent - exponent, max_shift));
  }

  /// A value in units of 2^exponent, but for a factor. Entries that may underflow there are converted first.
  std::pair<Source, Real> converted(const Unit& x, int exponent) {
    constexpr int safe = 24;  // leaves 2^-998
    const int shift = x.exponent - exponent;
    if (x.exponent == zero_exponent || shift > -safe) return {x.source, factor(x, exponent)};
    return {
        add({.kernel = Kernels<Real>::convert, .number = static_cast<double>(shift)}, {x.source}, exponent)
            .source,
        Real(1)};
  }

  int common(const auto& all, const auto& nodes) {
    int highest = zero_exponent, lowest = -zero_exponent;
    for (const Unit& x : all) {
      highest = std::max(highest, x.exponent);
      if (x.exponent != zero_exponent) lowest = std::min(lowest, x.exponent);
    }
    if (highest - lowest > far && lowest != -zero_exponent)
      far_apart_.insert(far_apart_.end(), nodes.begin(), nodes.end());
    return highest;
  }

  /// True if another node can read argument a of node i itself, instead of node i.
  bool passes(int i, int a) const {
    // A value that is overwritten must be read before.
    return in_group_[i] && !schedule_.stored[i] && (!overwritten(a) || overwrites(now_, a));
  }

  /// Splits x into a number and another value, which becomes i, if it is such a product; their roots if `root`, which
  /// may then have any sign.
  Unit taken_apart(int& i, Real& number, bool root) {
    const Node& here = node(i);
    const auto& a = here.arguments;
    if (here.op == op::multiply && passes(i, a[1]) && trait(i).squared == root && trait(a[0]).number()) {
      const Unit scale = root ? rooted(a[0]) : unit(a[0]);
      number *= fixed(scale.source);
      i = a[1];
      Unit x = root ? taken_apart(i, number, root) : plain(i);
      x.exponent = exponent_of_product(x.exponent, scale.exponent);
      return x;
    }
    if (!root || here.op != op::power || !passes(i, a[0])) return taken_as(i, root);
    i = a[0];
    return plain(i);
  }

  bool overwrites(int i, int state) const { return schedule_.in_place[i] == state; }
  bool overwritten(int i) const {
    if (node(i).op != op::state) return false;
    const State& state = rule_.graph.states[static_cast<std::size_t>(node(i).number)];
    return schedule_.in_place[state.after] == i;
  }

  Unit emit(int i) {
    const int state = schedule_.in_place[i];
    if (state >= 0) {
      for (const int reader : schedule_.readers[state]) {
        const auto& further = schedule_.readers[reader];
        if (reader != i && std::ranges::any_of(further, [i](int other) { return other != i; })) unit(reader);
      }
    }
    const int outer = std::exchange(now_, i);
    const Unit made = emitted(node(i).op->emit, i);
    of_node_[i] = made;
    now_ = outer;
    return made;
  }

  Unit emitted(const Emit& row, int i) {
    if (!row.emit) return in_one_unit(i, kernel_of(i), 0);
    if constexpr (std::is_same_v<Real, double>)
      return row.emit(*this, i);
    else
      return row.emit50(*this, i);
  }

  /// A difference of units beyond which a value is rescaled; leaves 2^-800 for entries.
  static constexpr int far = 200;
  static constexpr int max_shift = 1000;  ///< below the range of doubles

  const std::vector<Numbers<Real>*>& numbers_;
  std::vector<bool> in_group_;
  std::vector<std::optional<Unit>> of_node_;
  std::vector<int> far_apart_;
  int vanishing_ = -1;
  std::vector<Input> inputs_;
  int now_ = -1;
};

}  // namespace rarefact::formula
