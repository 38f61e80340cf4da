#pragma once

/// W = U V: each factor is moved by a rule of its own, which sees the gradient of that factor, ∇L Vᵀ or Uᵀ ∇L.

#include <algorithm>
#include <limits>

#include "sim/stepper.hpp"

namespace rarefact {

/// U and V, or W alone.
template <class M>
struct Factors {
  M left;
  std::optional<M> right = {};
  std::optional<M> moving = {};  ///< 1 at the entries of V that move, 0 at the others; empty: all move
};

template <class M>
class ProductUpdates final : public Stepper<M> {
 public:
  /// `inner`: the columns of U. If V `mixes` classes, columns of ∇L Vᵀ have similar sizes. Rules must outlive it.
  ProductUpdates(UpdateRule<M>& left, UpdateRule<M>& right, Factors<M> start, double inner, bool mixes)
      : u_{Ruled<M>(left)}, v_{Ruled<M>(right)}, inner_(inner), mixes_(mixes) {
    moving_ = std::move(start.moving);
    u_.state.w = std::move(start.left);
    v_.state.w = *std::move(start.right);
  }

  void direct(TrainingState<M>& state, const RuleContext<M>& context, const ScalarOf<M>& coupled) override {
    const M& gradient = state.gradient.ambient();
    const int exponent = state.gradient.exponent;
    u_.state.gradient = {multiplied(gradient, transposed(v_.state.w), context.workers), {}, exponent};
    M of_v = multiplied(transposed(u_.state.w), gradient, context.workers);
    const auto times = [](const ScalarOf<M>& x, const ScalarOf<M>& y) { return ScalarOf<M>(x * y); };
    if (moving_) map_in_place(of_v, *moving_, times);
    v_.state.gradient = {std::move(of_v), {}, exponent};
    RuleContext<M> own = context;
    own.shape.columns = inner_;
    own.of_factor = true;
    own.polar.mixed_columns = own.polar.mixed_columns || mixes_;
    u_.direct(own, coupled);
    own.shape = {inner_, context.shape.columns};
    own.polar.mixed_columns = context.polar.mixed_columns;
    own.polar.left_null = nullptr;  // that of ∇L
    const auto rounding = other(context.rounding);
    own.rounding = rounding ? &*rounding : nullptr;
    v_.direct(own, coupled);
    const Direction<M>& d = v_.state.direction;
    state.direction = u_.state.direction;
    // Each factor may lose a direction that the other keeps.
    state.direction.rank += d.rank;
    state.direction.dropped += d.dropped;
    for (const auto text : {&Direction<M>::note, &Direction<M>::not_finite, &Direction<M>::failure})
      if ((state.direction.*text).empty()) state.direction.*text = d.*text;
  }

  /// D_U V + U D_V - η D_U D_V, in which D_U and D_V have their decay.
  void measure(TrainingState<M>& state, const Workers& workers) override {
    using std::ldexp;
    state.fall = 1;
    for (Factor* factor : {&u_, &v_}) {
      factor->state.next = state.next;
      factor->state.measure();
      state.fall = std::max(state.fall, factor->rule.fall(factor->state));
    }
    const Direction<M>&a = u_.state.update, &b = v_.state.update;
    const int unit = std::max(a.exponent, b.exponent);
    update_ = multiplied(*a.matrix, v_.state.w, workers);
    combine(update_, ldexp(a.scale, a.exponent - unit), ldexp(b.scale, b.exponent - unit),
            multiplied(u_.state.w, *b.matrix, workers));
    combine(update_, ScalarOf<M>(1),
            ldexp(ScalarOf<M>(-state.next.size * a.scale * b.scale), a.exponent + b.exponent - unit),
            multiplied(*a.matrix, *b.matrix, workers));
    state.update = {.matrix = &update_, .exponent = unit};
    // D_U (V - η D_V) + U D_V
    if (a.of && b.of) state.update.of = a.of, state.update.also_of = b.of;
    state.update.size = std::numeric_limits<ScalarOf<M>>::quiet_NaN();
  }

  bool advance(TrainingState<M>& state, const RuleContext<M>& context, std::int64_t) override {
    const auto second = other(context.rounding);
    bool finite = true;
    for (Factor* factor : {&u_, &v_}) {
      factor->state.next = state.next;
      const RandomRounding* rounding = factor == &v_ && second ? &*second : context.rounding;
      finite = factor->updates.advance(factor->state, rounding) && finite;
    }
    state.w = product(context.workers);
    if (context.rounding) context.rounding->weight(state.w);
    if (!finite || !all_finite(state.w)) return false;
    ++state.step;
    ++state.updates;
    return true;
  }

  /// U V.
  M product(const Workers& workers) const { return multiplied(u_.state.w, v_.state.w, workers); }
  std::vector<const M*> factors() const override { return {&u_.state.w, &v_.state.w}; }
  void exchange(Archive& archive) override { archive(u_, v_); }

 private:
  struct Factor {
    Ruled<M> rule;
    TrainingState<M> state = {};
    SingleUpdates<M> updates = SingleUpdates<M>();

    void direct(RuleContext<M>& context, const ScalarOf<M>& coupled) {
      context.weights = &state.w;
      rule.direct(state, context, coupled);
    }
    void exchange(Archive& archive) { archive(state.w, rule, updates); }
  };
  static std::optional<RandomRounding> other(const RandomRounding* of_u) {
    return of_u ? std::optional(of_u->other()) : std::nullopt;
  }

  Factor u_, v_;
  std::optional<M> moving_ = {};
  double inner_;
  bool mixes_;
  M update_ = {};
};

}  // namespace rarefact
