#pragma once

/// A formula as an update rule on one algebra.

#include <fmt/format.h>

#include <map>

#include "algebra/operations.hpp"
#include "optim/formula/tile_program.hpp"

namespace rarefact::formula {

template <class M>
class FormulaRule final : public UpdateRule<M> {
  using Real = ScalarOf<M>;
  static constexpr bool factors = has_gram_factors<M>;

 public:
  explicit FormulaRule(const ParameterValues& definitions)
      : rule_(with_factors_apart(compiled(definitions))),
        schedule_(schedule_of(rule_.graph, rule_.traits, factors)),
        values_(rule_.graph.nodes.size()) {}

  Direction<M> direction(const Gradient<M>& gradient, const RuleContext<M>& context) override {
    context_ = &context;
    gradient_ = &gradient;
    failure_.clear();
    note_.clear();
    not_finite_.clear();
    formed_.assign(values_.size(), false);
    step_ += Real(1);
    set_leaves();
    for (const Stage& stage : schedule_.stages) {
      for (const int i : stage.matrix_operations) matrix_operation(i);
      // What comes after an operation that failed has no value.
      if (!failure_.empty()) break;
      for (const TileGroup& group : stage.groups) run_group(group);
      if (!failure_.empty()) break;
    }
    Direction<M> result;
    result.exponent = plain_exponent(rule_.graph.direction);
    if (failure_.empty()) scale(result);
    result.failure = failure_;
    result.note = note_;
    result.not_finite = not_finite_;
    if (failure_.empty()) show(result, keep_states());
    return result;
  }

  void exchange(Archive& archive) override {
    bool begun = begun_;
    archive(step_, begun, polars_);
    begun_ = begun;
    if (!begun_) return;
    for (const State& state : rule_.graph.states) archive(value(state.before));
  }

 private:
  static Compiled with_factors_apart(Compiled rule) {
    take_factors(rule.graph, rule.traits);
    return rule;
  }

  const Node& node(int i) const { return rule_.graph.nodes[i]; }
  const Trait& trait(int i) const { return rule_.traits[i]; }
  Value<M>& value(int i) { return values_[i]; }

  // Leaves.

  /// Indices of a leg, those of W in its own coordinates.
  double true_size(int of_leg) const;

  /// How many of them are held.
  Index held_size(int of_leg) const;

  /// The side of the gradient that a leg is.
  static Side side_of(int of_leg) {
    return of_leg == leg::out || of_leg == leg::answers ? Side::rows : Side::columns;
  }

  /// Zeros with room for these legs.
  M zero_of(int rows, int columns) const;

  /// Of a vector: over all that its numbers stand for.
  Real along_leg(const VectorOf<Real>& v, const Trait& x, Measured how) const {
    return measured(v, gradient_->ambient(), side_of(x.rows == leg::one ? x.columns : x.rows), how);
  }

  void set_number(int i, Real x, int exponent = 0);

  void set_leaves();

  void set_leaf(int i, const Node& here);

  /// A matrix of somebody else's.
  static void show(Value<M>& v, const M& matrix, int exponent) {
    v.view = &matrix;
    v.exponent = exponent;
  }

  /// A gradient of a sample may hold some columns only, which entry by entry are not enough.
  void hold_all(Value<M>& v);

  void set_second_moment(Value<M>& v);

  void set_zero(int i);

  // Entry by entry.

  void run_group(const TileGroup& group) {
    const bool matrices = group.rows != leg::one && group.columns != leg::one;
    const Index rows = held_size(group.rows), columns = held_size(group.columns);
    for (const int i : group.nodes) {
      if (!schedule_.stored[i]) continue;
      Value<M>& v = value(i);
      v.view = nullptr;
      if (schedule_.in_place[i] >= 0) {
        v.view = &value(schedule_.in_place[i]).matrix;
      } else if (matrices && v.numbers.size() == 0) {
        v.matrix = zero_of(group.rows, group.columns);
        v.numbers = VectorOf<Real>::Zero(1);
      } else if (!matrices && v.numbers.size() != rows * columns) {
        v.numbers.resize(rows * columns);
      }
    }
    for (const int i : group.nodes) {
      for (const int a : node(i).arguments) {
        form(a);
        hold_all(value(a));
      }
    }
    std::unique_ptr<TileProgram<M>>& program = programs_[&group];
    if (!program)
      program = std::make_unique<TileProgram<M>>(rule_.graph, rule_.traits, schedule_, group, values_);
    program->build();
    if (!program->far_apart().empty()) {
      for (const int i : program->far_apart()) recentre(i);
      program->build();
    }
    const M* shape = nullptr;
    for (const int i : group.nodes) {
      if (matrices && schedule_.stored[i]) shape = &value(i).held();
    }
    const auto faults = program->run(shape, rows * columns, context_->workers);
    if (faults.divided_by_zero >= 0) divided_by_zero(faults.divided_by_zero);
    if (faults.not_finite >= 0) note_not_finite(faults.not_finite);
    for (const int i : group.nodes) {
      if (!schedule_.stored[i]) continue;
      if (matrices) clear_unused(program->target(i).matrix);
      if (trait(i).number()) normalise(value(i).numbers(0), value(i).exponent);
      if (schedule_.recentred[i]) recentre(i);
    }
  }

  /// The matrix of a sum of X Xᵀ that is asked for entry by entry.
  void form(int i) {
    if constexpr (factors) {
      Value<M>& v = value(i);
      if (!trait(i).gram || !v.factor || formed_[i]) return;
      formed_[i] = true;
      v.matrix = v.factor->formed(context_->workers);
      combine(v.matrix, v.numbers(0), Real(0), v.matrix);
      v.view = nullptr;
    }
  }

  /// Ends the run.
  void divided_by_zero(int i) {
    failure_ = fmt::format("something that is not 0 was divided by 0 in {}", part(i));
  }

  /// A part of the formula, and the definition where it is written.
  std::string part(int i) const { return fmt::format("{} of {}", node(i).text, node(i).key); }

  void note_not_finite(int i) {
    if (not_finite_.empty()) not_finite_ = part(i);
  }

  /// Brings a value that became small, or large, in its unit back to about 1, if it is more than 2^±most away.
  void recentre(int i, int most = 0) {
    using std::isfinite, std::ilogb;
    Value<M>& v = value(i);
    const bool own = v.view == nullptr || node(i).op == Op::state;
    if (!own || trait(i).number() || (factors && trait(i).gram) || !schedule_.stored[i]) return;
    const bool matrix = trait(i).matrix();
    const Real size =
        matrix ? largest(v.matrix) : v.numbers.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
    if (size == Real(0)) v.exponent = zero_exponent;
    if (!isfinite(size)) note_not_finite(i);
    if (size == Real(0) || !isfinite(size)) return;
    // By multiples of 8, of which roots are powers of two; 2^-shift is a number.
    const int shift = std::max(ilogb(size), -1000) / 8 * 8;
    if (std::abs(shift) <= most) return;
    const Real scale = power_of_two<Real>(-shift);
    if (matrix)
      combine(v.matrix, scale, Real(0), v.matrix);
    else
      v.numbers *= scale;
    v.exponent += shift;
  }

  // Of matrices, in evaluate_matrices.hpp.
  void matrix_operation(int i) {
    if (!failure_.empty()) return;
    operate(i);
    constexpr int usual = 30;
    if (failure_.empty()) recentre(i, usual);
  }
  void operate(int i);
  void reduce(int i);
  Real reduced(int i, Measured how);
  void spectral(int i);
  void gram(int i);
  void clear_rounding(int i);
  /// The largest of the numbers held; NaN if one is.
  static Real largest(const M& x);
  /// Ends the run where the largest is not finite.
  Real finite_largest(const M& x, int i);
  const M& plain(int i);
  std::pair<const M*, int> centred(int i);
  VectorOf<Real> plain_numbers(int i);
  int plain_exponent(int i) {
    return value(i).exponent == zero_exponent ? zero_exponent
                                              : value(i).exponent * (trait(i).squared ? 2 : 1);
  }
  Real function_value(int body, const Real& sigma);

  // After the step.

  /// What the states are now is what they were at the next step. Their old matrices take the next results. Returns where
  /// values went.
  std::map<int, int> keep_states();

  /// The direction, and of what it takes functions of the singular values; a number in front of these is their size.
  void show(Direction<M>& direction, const std::map<int, int>& moved) {
    const auto matrix = [&](int i) -> const M& { return value(moved.contains(i) ? moved.at(i) : i).held(); };
    const int i = rule_.graph.direction;
    direction.matrix = node(i).op == Op::state ? &shown_ : &matrix(i);
    if (trait(i).squared)
      direction.matrix =
          &(squares_[i] = mapped(*direction.matrix, [](const Real& x) { return Real(x * x); }));
    const Op op = node(i).op;
    if (op == Op::polynomial || op == Op::smooth_polar)
      direction.of = &matrix(node(i).arguments[0]);
    else if (op != Op::spectral_power || node(i).number != 0)
      direction.size = Real(1);
  }

  /// The numbers before the direction.
  void scale(Direction<M>& direction);

  Compiled rule_;
  Schedule schedule_;
  std::vector<Value<M>> values_;
  std::map<const TileGroup*, std::unique_ptr<TileProgram<M>>> programs_;
  std::map<std::string, PolarOf<M>> polars_;
  std::map<int, M> squares_;  ///< of what is held by roots
  std::vector<bool> formed_;  ///< values whose plain matrix was made at this step
  Real step_ = Real(0);
  bool begun_ = false;
  std::string failure_, not_finite_, note_;
  M shown_, centred_;
  const RuleContext<M>* context_ = nullptr;
  const Gradient<M>* gradient_ = nullptr;
};

}  // namespace rarefact::formula
