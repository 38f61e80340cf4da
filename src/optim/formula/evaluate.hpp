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
        values_(rule_.graph.nodes.size()) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      numbers_.push_back(&values_[i]);
      if (rule_.graph.nodes[i].op->leaf) leaves_.push_back(static_cast<int>(i));
    }
  }

  Direction<M> direction(const Gradient<M>& gradient, const RuleContext<M>& context) override {
    context_ = &context;
    gradient_ = &gradient;
    failure_.clear();
    note_.clear();
    not_finite_.clear();
    formed_.assign(values_.size(), false);
    step_ += Real(1);
    for (const int i : leaves_) evaluate(i);
    begun_ = true;
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

  // For the operations.

  const Node& node(int i) const { return rule_.graph.nodes[i]; }
  const Trait& trait(int i) const { return rule_.traits[i]; }
  Value<M>& value(int i) { return values_[i]; }
  const RuleContext<M>& context() const { return *context_; }
  const Gradient<M>& gradient() const { return *gradient_; }
  const Real& step() const { return step_; }
  bool begun() const { return begun_; }

  /// Indices of a leg, those of W in its own coordinates.
  double true_size(int of_leg) const;

  void set_number(int i, Real x, int exponent = 0) {
    normalise(x, exponent);
    value(i).numbers.setConstant(1, x);
    value(i).exponent = exponent;
  }

  /// What stands before the Gram factor of a value.
  void set_gram(int i, Real number, int exponent) {
    normalise(number, exponent);
    value(i).numbers = VectorOf<Real>::Constant(1, number);
    value(i).exponent = exponent;
  }

  /// A matrix of somebody else's.
  void view(int i, const M& matrix, int exponent) {
    value(i).view = &matrix;
    value(i).exponent = exponent;
  }

  void set_zero(int i);

  /// The matrix of a value, or its numbers, without roots and factors.
  const M& plain(int i);
  VectorOf<Real> plain_numbers(int i) {
    return trait(i).squared ? VectorOf<Real>(value(i).numbers.cwiseAbs2()) : value(i).numbers;
  }
  int plain_exponent(int i) {
    const int e = value(i).exponent;
    return e == zero_exponent ? e : e * (trait(i).squared ? 2 : 1);
  }

  /// A matrix whose squares are numbers, and its exponent; that of zero if it is zero. Ends the run where an entry is none.
  std::pair<const M*, int> centred(int i);

  /// All entries of the argument of node i, or of each row or column, to one number.
  void reduce(int i, Measured how);

  /// All entries of a value to one number, in its unit.
  Real reduced(int i, Measured how);

  Real inner_of_vectors(int a, int b) {
    const VectorOf<Real> products = plain_numbers(a).cwiseProduct(plain_numbers(b));
    return along_leg(products, trait(a), Measured::sum);
  }

  /// Where what rounding leaves of a zero would grow: entries of a product that are rounding beside the terms they are
  /// sums of are 0.
  void clear_rounding(int i);

  /// The largest of the numbers held. Ends the run where it is not finite.
  Real finite_largest(const M& x, int i);

  /// msgn of the argument of node i, warm-started.
  M polar(int i, const M& x);

  /// f(σ) by the nodes of its body; those that do not need σ have their value.
  Real function_value(int body, const Real& sigma);

  /// X as node i decomposes it; in a repetition with other roundings.
  const M& decomposed(int i, const M& x) {
    if (!context_->rounding) return x;
    return shaken_ = context_->rounding->decomposed(kind_of(i), x);
  }

  /// In a repetition: moves the numbers of node i by units in the last place of the terms they are sums of.
  void round_sums(int i, VectorOf<Real> terms, int exponent) {
    Value<M>& v = value(i);
    if (!context_->rounding || v.exponent == zero_exponent) return;
    terms *= power_of_two<Real>(exponent - v.exponent);
    context_->rounding->results(kind_of(i), 1, v.numbers.data(), v.numbers.size(), terms.data());
  }

  /// Norms of what becomes each of the numbers of node i.
  VectorOf<Real> norms_of_terms(int i) {
    const int a = node(i).arguments[0];
    if (value(i).numbers.size() == 1) return VectorOf<Real>::Constant(1, reduced(a, Measured::euclidean));
    if (!trait(a).matrix()) return plain_numbers(a);
    return measured(plain(a), node(i).left == Left::rows ? Side::rows : Side::columns, Measured::euclidean);
  }

  /// A part of the formula, and the definition where it is written.
  std::string part(int i) const { return fmt::format("{} of {}", node(i).text, node(i).key); }

  /// Ends the run.
  void fail(std::string why) { failure_ = std::move(why); }
  bool failed() const { return !failure_.empty(); }
  void note(std::string note) {
    if (note_.empty()) note_ = std::move(note);
  }

 private:
  static Compiled with_factors_apart(Compiled rule) {
    take_factors(rule.graph, rule.traits);
    return rule;
  }

  /// Of node i, by its struct; in operation_list.hpp.
  void evaluate(int i);

  /// How many indices of a leg are held.
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

  /// A gradient of a sample may hold some columns only, which entry by entry are not enough.
  void hold_all(Value<M>& v);

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
    if (!program) program = std::make_unique<TileProgram<M>>(rule_, schedule_, group, values_, numbers_);
    program->build();
    if (!program->far_apart().empty()) {
      for (const int i : program->far_apart()) recentre(i);
      program->build();
    }
    const M* shape = nullptr;
    for (const int i : group.nodes) {
      if (matrices && schedule_.stored[i]) shape = &value(i).held();
    }
    const auto faults = program->run(shape, rows * columns, context_->workers, context_->rounding);
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

  void divided_by_zero(int i) {
    fail(fmt::format("something that is not 0 was divided by 0 in {}", part(i)));
  }

  void note_not_finite(int i) {
    if (not_finite_.empty()) not_finite_ = part(i);
  }

  /// Brings a value that became small, or large, in its unit back to about 1, if it is more than 2^±most away.
  void recentre(int i, int most = 0) {
    using std::isfinite, std::ilogb;
    Value<M>& v = value(i);
    const bool own = v.view == nullptr || node(i).op == op::state;
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

  void matrix_operation(int i) {
    if (failed()) return;
    node(i).op->entrywise() ? combine_gram(i) : evaluate(i);
    if (failed()) return;
    if (context_->rounding && !node(i).op->exact) round_results(i);
    constexpr int usual = 30;
    recentre(i, usual);
  }

  M polar_in_other_order(int i, const M& x);

  /// Of the random bits of a node.
  static std::uint64_t kind_of(int i) { return 2 * static_cast<std::uint64_t>(i); }

  /// Moves the results of a matrix operation by units in their last place.
  void round_results(int i) {
    Value<M>& v = value(i);
    const RandomRounding& rounding = *context_->rounding;
    if (trait(i).matrix() && v.view == nullptr && !(factors && trait(i).gram)) {
      for (std::size_t p = 0; p < planes_of(v.matrix).size(); ++p)
        rounding.results(kind_of(i), (p + 1) << 40, numbers_of(v.matrix, p), planes_of(v.matrix)[p].size);
    }
    rounding.results(kind_of(i), 0, v.numbers.data(), v.numbers.size());
  }

  /// A sum or a multiple of values that are held by Gram factors.
  void combine_gram(int i);

  /// NaN if an entry is.
  static Real largest(const M& x);

  // After the step.

  /// What the states are now is what they were at the next step. Their old matrices take the next results. Returns where
  /// values went.
  std::map<int, int> keep_states();

  /// Whether a value is a polar factor, or an average of some.
  bool averages_polars(int i) const {
    const Node& here = node(i);
    const auto& a = here.arguments;
    if (here.op == op::add) return averages_polars(a[0]) && averages_polars(a[1]);
    if (here.op == op::multiply) return trait(a[0]).number() && averages_polars(a[1]);
    return here.op == op::state || (here.op == op::spectral_power && here.number == 0);
  }

  /// The direction, and of what it takes functions of the singular values; a number in front of these is their size.
  void show(Direction<M>& direction, const std::map<int, int>& moved) {
    const auto matrix = [&](int i) -> const M& { return value(moved.contains(i) ? moved.at(i) : i).held(); };
    const int i = rule_.graph.direction;
    direction.matrix = node(i).op == op::state ? &shown_ : &matrix(i);
    if (trait(i).squared)
      direction.matrix =
          &(squares_[i] = mapped(*direction.matrix, [](const Real& x) { return Real(x * x); }));
    // A step size times 2^exponent must be a number, also where D = G/norm(G) of a G whose norm has no inverse.
    constexpr int most = 900;
    if (const int beyond = std::min(direction.exponent - most, most); beyond > 0) {
      M larger = *direction.matrix;
      combine(larger, power_of_two<Real>(beyond), Real(0), larger);
      shown_ = std::move(larger);
      direction.matrix = &shown_;
      direction.exponent -= beyond;
    }
    const Op op = node(i).op;
    if (op == op::polynomial || op == op::smooth_polar)
      direction.of = &matrix(node(i).arguments[0]);
    else if (!averages_polars(i))
      direction.size = Real(1);  // nothing says what singular values should be
  }

  /// The numbers before the direction.
  void scale(Direction<M>& direction);

  Compiled rule_;
  Schedule schedule_;
  std::vector<Value<M>> values_;
  std::vector<Numbers<Real>*> numbers_;  ///< of the values
  std::vector<int> leaves_;
  std::map<const TileGroup*, std::unique_ptr<TileProgram<M>>> programs_;
  std::map<std::string, typename M::Polar> polars_;
  std::map<int, M> squares_;  ///< of what is held by roots
  std::vector<bool> formed_;  ///< values whose plain matrix was made at this step
  Real step_ = Real(0);
  bool begun_ = false;
  std::string failure_, not_finite_, note_;
  M shown_, centred_, shaken_;
  const RuleContext<M>* context_ = nullptr;
  const Gradient<M>* gradient_ = nullptr;
};

}  // namespace rarefact::formula
