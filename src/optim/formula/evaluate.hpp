#pragma once

/// A formula as an update rule on one algebra.

#include "optim/formula/formula_rounding.hpp"
#include "optim/formula/tile_program.hpp"

namespace rarefact::formula {

template <class M>
class FormulaRule final : public UpdateRule<M>, public FormulaRounding<M> {
  using Base = FormulaRounding<M>;
  using Base::form, Base::size_along, Base::zero_of, Base::divided_by_zero, Base::note_not_finite,
      Base::kind_of, Base::round_planes, Base::factors;
  using Base::rule_, Base::schedule_, Base::values_, Base::squares_, Base::formed_, Base::polars_,
      Base::step_, Base::begun_, Base::direction_, Base::context_, Base::gradient_;
  using typename Base::Real;

 public:
  using Base::node, Base::trait, Base::value, Base::part, Base::fail, Base::failed, Base::plain,
      Base::plain_exponent, Base::set_number;

  explicit FormulaRule(const ParameterValues& definitions) : Base(with_factors_apart(compiled(definitions))) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      numbers_.push_back(&values_[i]);
      const int at = static_cast<int>(i);
      if (constant(node(at)))
        evaluate(at);
      else if (node(at).op->leaf)
        leaves_.push_back(at);
    }
  }

  Direction<M> direction(const Gradient<M>& gradient, const RuleContext<M>& context) override {
    context_ = &context;
    gradient_ = &gradient;
    direction_ = {};
    formed_.assign(values_.size(), false);
    step_ += Real(1);
    for (const int i : leaves_) evaluate(i);
    begun_ = true;
    // Operations after a failed one are not evaluated.
    for (const Stage& stage : schedule_.stages) {
      for (const int i : stage.matrix_operations) matrix_operation(i);
      for (const TileGroup& group : stage.groups)
        if (!failed()) run_group(group, schedule_, programs_[&group]);
    }
    direction_.exponent = plain_exponent(rule_.graph.direction);
    if (!failed()) scale(direction_);
    if (!failed()) show(direction_, keep_states());
    return direction_;
  }

  void exchange(Archive& archive) override {
    archive(step_, begun_, polars_);
    if (!begun_) return;
    for (const State& state : rule_.graph.states) archive(value(state.before));
  }

 private:
  static Compiled with_factors_apart(Compiled rule) {
    take_factors(rule.graph, rule.traits);
    return rule;
  }

  /// Evaluates node i by its struct in operation_list.hpp.
  void evaluate(int i);

  static bool some_are_stored(const M& x) {
    if constexpr (std::is_same_v<M, ColumnMatrix>) return x.stored_groups != nullptr;
    return false;
  }

  /// A gradient of a sample may store only some columns. Returns a matrix with those that a group reads, if zeros in all
  /// others stay zeros; else null, and every column has to be stored.
  const M* some_columns(const TileGroup& group) {
    if constexpr (std::is_same_v<M, ColumnMatrix>) {
      const M* like = nullptr;
      for (const int a : group.reads) {
        const M& x = value(a).stored();
        if (!x.stored_groups || (like && !column_detail::same_columns(*like, x))) return nullptr;
        like = &x;
      }
      if (like == nullptr) return nullptr;
      const bool kept = std::ranges::all_of(group.nodes, [this](int i) { return keeps_zeros(rule_, i); });
      return kept ? like : nullptr;
    }
    return nullptr;
  }

  void store_all(Value<M>& v) {
    if constexpr (std::is_same_v<M, ColumnMatrix>) {
      if (!some_are_stored(v.stored())) return;
      v.matrix = with_all_columns(v.stored());
      v.view = nullptr;
    }
  }

  // Entry by entry.

  /// The values of a group that it combines in units far apart. They are rescaled first, since one may be zero.
  static std::vector<int> combined_far_apart(const TileGroup& group, const std::vector<int>& far_apart) {
    std::vector<int> apart;
    for (const int i : far_apart)
      if (std::ranges::find(group.nodes, i) != group.nodes.end() &&
          std::ranges::find(apart, i) == apart.end())
        apart.push_back(i);
    return apart;
  }

  /// Runs a group, but the values `apart` first.
  void run_parts(TileGroup group, Schedule schedule, const std::vector<int>& apart) {
    for (const int i : apart) schedule_.in_place[i] = schedule.in_place[i] = -1;
    Schedule first = schedule;
    for (const int i : group.nodes) {
      first.stored[i] = std::ranges::find(apart, i) != apart.end();
      first.recentred[i] = false;
      first.in_place[i] = -1;
    }
    std::unique_ptr<TileProgram<M>> before, after;
    run_group(group, first, before);
    for (const int i : apart) recentre(i, 0, true);
    std::erase_if(group.nodes, [&](int i) { return first.stored[i]; });
    run_group(group, schedule, after);
  }

  void run_group(const TileGroup& group, const Schedule& schedule, std::unique_ptr<TileProgram<M>>& program) {
    const bool matrices = group.rows != axis::single && group.columns != axis::single;
    const Index rows = size_along(group.rows), columns = size_along(group.columns);
    const M* const held = some_columns(group);
    for (const int i : group.nodes) {
      if (!schedule.stored[i]) continue;
      Value<M>& v = value(i);
      v.view = nullptr;
      if (schedule.in_place[i] >= 0) {
        v.view = &value(schedule.in_place[i]).matrix;
      } else if (matrices && (held || v.numbers.size() == 0 || some_are_stored(v.matrix))) {
        v.matrix = held ? *held : zero_of(group.rows, group.columns);
        v.numbers = VectorOf<Real>::Zero(1);
      } else if (!matrices && v.numbers.size() != rows * columns) {
        v.numbers.resize(rows * columns);
      }
    }
    for (const int a : group.reads) {
      form(a);
      if (!held) store_all(value(a));
    }
    if (!program) program = std::make_unique<TileProgram<M>>(rule_, schedule, group, values_, numbers_);
    program->build();
    if (const std::vector<int> far_apart = program->far_apart(); !far_apart.empty()) {
      const std::vector<int> apart = combined_far_apart(group, far_apart);
      if (!apart.empty()) return run_parts(group, schedule, apart);
      for (const int i : far_apart) recentre(i, 0, true);
      program->build();
      if (const int i = program->vanishing(); i >= 0)
        fail(fmt::format("the arguments of {} differ by more than doubles can", part(i)));
    }
    const M* shape = nullptr;
    for (const int i : group.nodes) {
      if (matrices && schedule.stored[i]) shape = &value(i).stored();
    }
    const auto faults = program->run(shape, rows * columns, context_->workers, context_->rounding);
    if (faults.divided_by_zero >= 0) divided_by_zero(faults.divided_by_zero);
    if (faults.not_finite >= 0) note_not_finite(faults.not_finite);
    for (const int i : group.nodes) {
      if (!schedule.stored[i]) continue;
      if (matrices) clear_unused(program->target(i).matrix);
      if (trait(i).number()) normalise(value(i).numbers(0), value(i).exponent);
      if (schedule.recentred[i]) recentre(i);
    }
  }

  /// If a value's size in its unit is beyond 2^±max_exponent, or only if it is tiny, changes the unit so that it is
  /// about 1. A larger unit would cost the smallest entries.
  void recentre(int i, int max_exponent = 0, bool if_tiny = false) {
    using std::isfinite, std::ilogb;
    Value<M>& v = value(i);
    const bool kept_here = v.view == nullptr || node(i).op == op::state;
    if (!kept_here || trait(i).number() || (factors && trait(i).gram)) return;
    const bool matrix = trait(i).matrix();
    const Real size =
        matrix ? largest_entry(v.matrix) : v.numbers.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
    if (size == Real(0)) v.exponent = zero_exponent;
    if (!isfinite(size)) note_not_finite(i);
    if (size == Real(0) || !isfinite(size)) return;
    // By multiples of 8, whose roots are powers of two; 2^-shift must be a double.
    const int shift = std::max(ilogb(size), -1000) / 8 * 8;
    constexpr int tiny = -100;
    if (std::abs(shift) <= max_exponent || (if_tiny && shift > tiny)) return;
    const auto scaled = [shift](const Real& x) { return shifted(x, -shift); };
    if (!matrix)
      v.numbers = v.numbers.unaryExpr(scaled).eval();
    else if (shift > 0)
      v.matrix = mapped(v.matrix, scaled);
    else
      combine(v.matrix, power_of_two<Real>(-shift), Real(0), v.matrix);
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

  /// Moves the results of a matrix operation by units in their last place.
  void round_results(int i) {
    Value<M>& v = value(i);
    if (trait(i).matrix() && v.view == nullptr && !(factors && trait(i).gram)) round_planes(i, 1);
    context_->rounding->results(kind_of(i), 0, v.numbers.data(), v.numbers.size());
  }

  /// A sum or multiple of values stored as Gram factors.
  void combine_gram(int i) {
    if constexpr (factors) {
      const auto& a = node(i).arguments;
      const bool first = trait(a[0]).gram;
      const Value<M>&x = value(a[first ? 0 : 1]), &y = value(a[first ? 1 : 0]);
      Value<M>& result = value(i);
      result.view = nullptr;
      result.factor = x.factor;
      if (trait(a[0]).gram && trait(a[1]).gram) {
        const int e = std::max(x.exponent, y.exponent);
        const Real of_x = x.numbers(0) * power_of_two<Real>(x.exponent - e),
                   of_y = y.numbers(0) * power_of_two<Real>(y.exponent - e);
        if (of_y == Real(0)) return set_number(i, of_x, e);
        result.factor = of_x == Real(0) ? y.factor : x.factor->combined(of_x, *y.factor, of_y);
        return set_number(i, of_x == Real(0) ? of_y : Real(1), e);
      }
      if (x.exponent == zero_exponent) return set_number(i, Real(0));
      if (node(i).op == op::multiply)
        return set_number(i, Real(x.numbers(0) * y.numbers(0)), x.exponent + y.exponent);
      if (y.numbers(0) == Real(0)) {
        // 0/0 = 0, as in entrywise division.
        if (x.numbers(0) != Real(0)) divided_by_zero(i);
        return set_number(i, Real(0));
      }
      set_number(i, Real(x.numbers(0) / y.numbers(0)), x.exponent - y.exponent);
    }
  }

  // After the step.

  /// Makes the new values of states the old ones, reusing their matrices. Returns where values were moved.
  std::map<int, int> keep_states() {
    const int direction = rule_.graph.direction;
    if (node(direction).op == op::state) shown_ = value(direction).stored();
    std::map<int, int> moved;
    std::vector<std::pair<int, Value<M>>> copies;
    for (const State& state : rule_.graph.states) {
      const Value<M>& after = value(state.after);
      if (schedule_.in_place[state.after] == state.before) {
        value(state.before).exponent = after.exponent;
        continue;
      }
      const bool leaf = node(state.after).op->leaf;
      if (!leaf && !after.view && moved.emplace(state.after, state.before).second) continue;
      Value<M>& copy = copies.emplace_back(state.before, after).second;
      copy.matrix = after.stored();
      copy.view = nullptr;
    }
    for (const auto& [after, before] : moved) std::swap(value(after), value(before));
    for (auto& [before, copy] : copies) value(before) = std::move(copy);
    return moved;
  }

  /// True if a value is a polar factor or an average of polar factors.
  bool averages_polars(int i) const {
    const Node& here = node(i);
    const auto& a = here.arguments;
    if (here.op == op::add) return averages_polars(a[0]) && averages_polars(a[1]);
    if (here.op == op::multiply) return trait(a[0]).number() && averages_polars(a[1]);
    return here.op == op::state || (here.op == op::spectral_power && here.number == 0);
  }

  /// Sets the direction and the matrix of whose singular values it is a function, which has its own scale.
  void show(Direction<M>& direction, const std::map<int, int>& moved) {
    const auto matrix = [&](int i) -> const M& {
      return value(moved.contains(i) ? moved.at(i) : i).stored();
    };
    const int i = rule_.graph.direction;
    direction.matrix = node(i).op == op::state ? &shown_ : &matrix(i);
    if (trait(i).squared)
      direction.matrix =
          &(squares_[i] = mapped(*direction.matrix, [](const Real& x) { return Real(x * x); }));
    // A step size times 2^exponent must be finite, even for D = G/norm(G) if 1/norm(G) overflows.
    constexpr int max_exponent = 900;
    if (const int beyond = std::min(direction.exponent - max_exponent, max_exponent); beyond > 0) {
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
      direction.size = Real(1);  // the intended size of singular values is unknown
  }

  /// Applies the scalar factors of the direction.
  void scale(Direction<M>& direction) {
    using std::ldexp;
    const int matrix_exponent = direction.exponent;  // the unit of its matrix, without factors
    for (const int factor : rule_.graph.factors) {
      direction.scale *= value(factor).numbers(0);
      direction.exponent += std::max(value(factor).exponent, zero_exponent);
      normalise(direction.scale, direction.exponent);
    }
    for (const int divisor : rule_.graph.divisors) {
      const Value<M>& by = value(divisor);
      const bool nothing = by.numbers(0) == Real(0);
      if (nothing && largest_entry(plain(rule_.graph.direction)) > Real(0))
        fail(fmt::format("a nonzero matrix was divided by {}, which is 0", part(divisor)));
      direction.scale = nothing ? Real(0) : Real(direction.scale / by.numbers(0));
      if (!nothing) direction.exponent -= by.exponent;
      normalise(direction.scale, direction.exponent);
    }
    direction.size = ldexp(direction.scale, direction.exponent - matrix_exponent);
    direction.exponent = std::max(direction.exponent, zero_exponent);
  }

  std::vector<Numbers<Real>*> numbers_;  ///< of the values
  std::vector<int> leaves_;              ///< but constants
  std::map<const TileGroup*, std::unique_ptr<TileProgram<M>>> programs_;
  M shown_;
};

}  // namespace rarefact::formula
