#pragma once

/// The entrywise operations of one group, made for the units that its values have at a step, and run tile by tile.

#include <atomic>
#include <limits>
#include <vector>

#include "core/parallel.hpp"
#include "optim/formula/planes.hpp"
#include "optim/formula/schedule.hpp"
#include "optim/formula/tile.hpp"
#include "optim/formula/value.hpp"

namespace rarefact::formula {

template <class M>
class TileProgram {
  using Real = ScalarOf<M>;

 public:
  TileProgram(const Graph& graph, const std::vector<Trait>& traits, const Schedule& schedule,
              const TileGroup& group, std::vector<Value<M>>& values)
      : graph_(graph),
        traits_(traits),
        schedule_(schedule),
        group_(group),
        values_(values),
        in_group_(graph.nodes.size()) {
    for (const int i : group.nodes) in_group_[i] = true;
  }

  /// Makes the program for the units and numbers that the values have now.
  void build() {
    instructions_.clear();
    far_apart_.clear();
    has_vectors_ = false;
    of_node_.assign(graph_.nodes.size(), {});
    for (const int i : group_.nodes) {
      if (!schedule_.stored[i]) continue;
      const Unit unit = emit(i);
      instructions_[unit.source.at].node = i;
      value(i).exponent = unit.exponent;
    }
  }

  /// The value that holds what a node becomes: of a state that is overwritten, the state's.
  Value<M>& target(int i) const {
    const int in_place = schedule_.in_place[i];
    return value(in_place < 0 ? i : in_place);
  }

  /// Units so far apart that a value may have become small in its own: these, stored ones, are to be brought back.
  const std::vector<int>& far_apart() const { return far_apart_; }

  /// First nodes of the program, or -1.
  struct Faults {
    int divided_by_zero = -1;  ///< what is not 0
    int not_finite = -1;       ///< in an entry where a stored value is not finite either
  };

  /// Runs the program; `shape` has the planes of the results.
  Faults run(const M* shape, Index length, const Workers& workers) const;

 private:
  /// Where an operand is read.
  struct Source {
    enum Kind { none, result, plane, across, along, single } kind = none;
    int at = -1;  ///< instruction, or node
    Real number = Real(0);
  };
  struct Unit {
    Source source;
    int exponent = 0;
    bool root = false;  ///< of r², in units of 2^exponent of r
  };
  struct Instruction {
    TileInstruction<Real> operation;
    Source x[4];
    int node = -1;  ///< whose stored value it writes; -1: none
    int of = -1;    ///< node that it is part of
  };

  /// The first instructions at which something is wrong, on all threads.
  struct FirstInstructions {
    std::atomic<int> divided_by_zero = none, not_finite = none;
    static constexpr int none = std::numeric_limits<int>::max();

    static void note(std::atomic<int>& first, int instruction) {
      for (int now = first; instruction < now && !first.compare_exchange_weak(now, instruction);) {
      }
    }
  };

  const Node& node(int i) const { return graph_.nodes[i]; }
  const Trait& trait(int i) const { return traits_[i]; }
  Value<M>& value(int i) const { return values_[i]; }

  Unit add(TileInstruction<Real> operation, std::initializer_list<Source> x, int exponent,
           bool root = false) {
    Instruction& made = instructions_.emplace_back();
    made.operation = operation;
    made.of = now_;
    std::copy(x.begin(), x.end(), made.x);
    return {{Source::result, static_cast<int>(instructions_.size()) - 1, Real(0)}, exponent, root};
  }

  bool in_group(int i) const { return in_group_[i]; }

  /// A value that was stored before.
  Unit stored(int i) {
    const Trait& x = trait(i);
    const Value<M>& v = value(i);
    if (x.number()) return {{Source::single, i, v.numbers(0)}, v.exponent};
    Source source{Source::plane, i, Real(0)};
    const bool matrices = group_.rows != leg::one && group_.columns != leg::one;
    if (matrices && !x.matrix()) source.kind = x.rows == leg::one ? Source::across : Source::along;
    has_vectors_ = has_vectors_ || source.kind != Source::plane;
    return {source, v.exponent, x.squared};
  }

  Unit unit(int i) {
    std::optional<Unit>& known = of_node_[i];
    if (!known) known = in_group(i) ? emit(i) : stored(i);
    return *known;
  }

  Unit plain(int i) {
    const Unit x = unit(i);
    return x.root ? add({TileOp::square}, {x.source}, 2 * x.exponent) : x;
  }

  /// The root of a sum of squares, or of a number.
  Unit rooted(int i) {
    using std::sqrt;
    Unit x = unit(i);
    if (x.root) return x;
    const int odd = x.exponent & 1;
    x.source.number = sqrt(Real(x.source.number * Real(1 << odd)));
    return {x.source, (x.exponent - odd) / 2, true};
  }

  /// What takes a value into units of 2^exponent.
  static Real factor(const Unit& x, int exponent) { return power_of_two<Real>(x.exponent - exponent); }

  int common(const std::vector<Unit>& all, const std::vector<int>& nodes) {
    int most = zero_exponent, least = -zero_exponent;
    for (const Unit& x : all) {
      most = std::max(most, x.exponent);
      if (x.exponent > zero_exponent / 2) least = std::min(least, x.exponent);
    }
    if (most - least > far && least != -zero_exponent)
      far_apart_.insert(far_apart_.end(), nodes.begin(), nodes.end());
    return most;
  }

  /// x as factor times something else, where it is a number times that.
  Unit taken_apart(int i, Real& number) {
    const Node& here = node(i);
    // What is overwritten is read before that.
    const bool read_later =
        here.op == Op::multiply && overwritten(here.arguments[1]) && !overwrites(now_, here.arguments[1]);
    const bool apart = !read_later && here.op == Op::multiply && in_group(i) && !schedule_.stored[i] &&
                       !trait(i).squared && trait(here.arguments[0]).number();
    if (!apart) return plain(i);
    const Unit scale = unit(here.arguments[0]);
    Unit x = plain(here.arguments[1]);
    number *= scale.source.number;
    x.exponent += scale.exponent;
    return x;
  }

  bool overwrites(int i, int state) const { return schedule_.in_place[i] == state; }
  bool overwritten(int i) const {
    if (node(i).op != Op::state) return false;
    const State& state = graph_.states[static_cast<std::size_t>(node(i).number)];
    return schedule_.in_place[state.after] == i;
  }

  Unit emit(int i) {
    const int state = schedule_.in_place[i];
    if (state >= 0) {
      for (const int reader : schedule_.readers[state])
        if (reader != i) unit(reader);
    }
    const int outer = std::exchange(now_, i);
    const Unit made = emitted(i);
    of_node_[i] = made;
    now_ = outer;
    return made;
  }

  Unit sum(int i);

  Unit product(int i);

  Unit quotient(int i);

  /// x**p of a value of 2^e: 2^(ep) is a power of two and a factor below 2.
  Unit power(int i);

  Unit root(int i);

  Unit emitted(int i);

  /// Columns begin to end of a plane, as it is walked.
  void tiles(const Plane& plane, std::size_t p, Index begin, Index end, const M* shape,
             FirstInstructions& first) const;

  /// Looks for entries of stored values that are not finite, among n numbers that begin at `offset` of plane p.
  void note_not_finite(const std::vector<Real*>& results, Index n, std::size_t p, Index offset,
                       const M* shape, FirstInstructions& first) const;

  Real* stored_numbers(int i, std::size_t plane) const;

  Run<Real> run_of(const Source& x, const std::vector<Real*>& results, std::size_t p, Index offset,
                   const Plane& plane, Index row, Index column) const;

  /// Units this far apart leave 2^-800 for the entries of a value.
  static constexpr int far = 200;

  const Graph& graph_;
  const std::vector<Trait>& traits_;
  const Schedule& schedule_;
  const TileGroup& group_;
  std::vector<Value<M>>& values_;
  std::vector<bool> in_group_;
  std::vector<std::optional<Unit>> of_node_;
  std::vector<Instruction> instructions_;
  std::vector<int> far_apart_;
  bool has_vectors_ = false;
  int now_ = -1;
};

}  // namespace rarefact::formula
