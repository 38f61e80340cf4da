#pragma once

/// Advancing a training: one update at a time, or many at once (fast_forward.hpp).

#include "core/compensated_sum.hpp"
#include "model/schedule.hpp"
#include "optim/update_rule.hpp"
#include "sim/direction_measures.hpp"

namespace rarefact {

/// X + λW in units of 2^exponent, X = scale 2^exponent *matrix. W has all columns, X perhaps few.
template <class M>
struct Decayed {
  M matrix;
  int exponent;

  Decayed(const M& x, ScalarOf<M> scale, int unit, ScalarOf<M> decay, M w)
      : matrix(std::move(w)), exponent(unit) {
    using std::ilogb, std::isfinite, std::ldexp;
    const ScalarOf<M> largest = decay * largest_entry(matrix);
    const bool decays = largest > ScalarOf<M>(0) && isfinite(largest);
    const bool zero = largest_entry(x) == ScalarOf<M>(0);  // its scale and unit may be anything
    if (zero || decays) exponent = !decays ? 0 : zero ? ilogb(largest) : std::max(unit, ilogb(largest));
    combine(matrix, ldexp(decay, -exponent), zero ? ScalarOf<M>(0) : ldexp(scale, unit - exponent), x);
  }
  void scale_to(int other) {
    using std::ldexp;
    combine(matrix, ldexp(ScalarOf<M>(1), exponent - other), 0, matrix);
    exponent = other;
  }
};

/// How much larger the largest entry of λW is than that of a sum that has it, 2^exponent X; at least 1.
template <class M>
ScalarOf<M> fall_to(const M& x, int exponent, ScalarOf<M> decay, const M& w) {
  using std::ldexp;
  const ScalarOf<M> part = decay * largest_entry(w), whole = ldexp(ScalarOf<M>(largest_entry(x)), exponent);
  return part > whole ? ScalarOf<M>(part / whole) : ScalarOf<M>(1);
}

/// W after some steps, its observation, and the next update W ← (1 - ηλ) W - η scale 2^exponent D.
template <class M>
struct TrainingState {
  M w;
  std::int64_t step = 0;
  std::int64_t updates = 0;  ///< number of single updates, or of strides
  Observation seen = {};     ///< of the population, at recorded steps
  Gradient<M> gradient = {};
  Direction<M> direction = {};
  Step<ScalarOf<M>> next = {};  ///< η and λ; λ = 0 if the gradient has it
  Direction<M> update = {};     ///< D + λW, for measures
  ScalarOf<M> fall = 1;         ///< the size of λW relative to `update` or to ∇L + λW, at least 1

  /// Forms `update`.
  void measure() {
    update = direction;
    fall = 1;
    if (next.decay == 0) return;
    sum_.emplace(*direction.matrix, direction.scale, direction.exponent, next.decay, w);
    update.matrix = &sum_->matrix;
    if (largest_entry(w) > ScalarOf<M>(0)) update.of = nullptr;
    update.scale = 1;
    update.exponent = sum_->exponent;
    fall = fall_to(sum_->matrix, sum_->exponent, next.decay, w);
  }

 private:
  std::optional<Decayed<M>> sum_ = {};
};

/// A rule and the gradients that it sees.
template <class M>
class Ruled {
 public:
  /// `task`: X -> Ẽᵀ X E, if the rule reads gradients in the task basis; else empty. `in_range`: removes from a
  /// sum of gradient and weights the part that is only rounding; empty if there can be none.
  explicit Ruled(UpdateRule<M>& rule, std::function<M(const M&)> task = {},
                 std::function<void(M&)> in_range = {})
      : rule_(&rule), task_(std::move(task)), in_range_(std::move(in_range)) {}

  /// The direction of a state for its gradient, that of L + decay ‖W‖²/2.
  void direct(TrainingState<M>& state, const RuleContext<M>& context, const ScalarOf<M>& decay) {
    decay_ = decay;
    if (decay != ScalarOf<M>(0)) decayed_ = with_decay(state.gradient, state.w, decay);
    state.direction = rule_->direction(decay != ScalarOf<M>(0) ? decayed_ : state.gradient, context);
  }
  /// `fall` of the state whose direction was the last.
  ScalarOf<M> fall(const TrainingState<M>& state) const {
    if (decay_ == ScalarOf<M>(0)) return state.fall;
    return std::max(state.fall, fall_to(decayed_.ambient(), decayed_.exponent, decay_, state.w));
  }
  void exchange(Archive& archive) { archive(*rule_); }

 private:
  Gradient<M> with_decay(const Gradient<M>& g, const M& w, const ScalarOf<M>& decay) const {
    const auto added = [&](const M& x, M of_w) {
      return Decayed<M>(x, ScalarOf<M>(1), g.exponent, decay, std::move(of_w));
    };
    Decayed<M> sum = added(g.ambient(), w);
    if (in_range_) in_range_(sum.matrix);
    if (!g.image) return {std::move(sum.matrix), std::nullopt, sum.exponent};
    if (!task_) return {{}, std::move(sum.matrix), sum.exponent};
    Decayed<M> task = added(g.task, task_(w));
    task.scale_to(sum.exponent);
    return {std::move(task.matrix), std::move(sum.matrix), sum.exponent};
  }

  UpdateRule<M>* rule_;
  std::function<M(const M&)> task_;
  std::function<void(M&)> in_range_;
  ScalarOf<M> decay_ = 0;
  Gradient<M> decayed_ = {};
};

/// How W moves.
template <class M>
class Stepper {
 public:
  virtual ~Stepper() = default;
  /// Sets the direction of the state from its gradient, that of L + decay ‖W‖²/2 (of its factors).
  virtual void direct(TrainingState<M>& state, const RuleContext<M>& context, const ScalarOf<M>& decay) = 0;
  /// Forms the update of the state.
  virtual void measure(TrainingState<M>& state, const Workers&) = 0;
  /// Advances the state, at most to step `until`. Returns false if W is no longer finite; `step` is then the
  /// last finite one. D and W are rounded at random if context.rounding is not null.
  virtual bool advance(TrainingState<M>& state, const RuleContext<M>& context, std::int64_t until) = 0;
  /// U and V, if W is their product.
  virtual std::vector<const M*> factors() const { return {}; }
  virtual void exchange(Archive&) = 0;
};

/// One update of a matrix.
template <class M>
class SingleUpdates {
 public:
  /// If it `carries`, W is a compensated sum.
  explicit SingleUpdates(bool carries = false) : carries_(carries) {}

  bool advance(TrainingState<M>& state, const RandomRounding* rounding) {
    using std::ldexp;
    const Direction<M>& d = state.direction;
    if (rounding) rounding->direction(rounded_ = *d.matrix);
    const M& matrix = rounding ? rounded_ : *d.matrix;
    const auto c = ldexp(ScalarOf<M>(-state.next.size * d.scale), d.exponent);
    const ScalarOf<M> shrink = state.next.size * state.next.decay;
    // Equal updates are all rounded alike. A repetition that rounded W as the run does would not show it.
    if (carries_ || rounding) {
      add_carried(state.w, shrink, c, matrix);
    } else {
      combine(state.w, 1 - shrink, c, matrix);
    }
    if (rounding) rounding->weight(state.w);
    if (shrink != 0 ? !all_finite(state.w) : !still_finite(state.w, matrix)) return false;
    ++state.step;
    ++state.updates;
    return true;
  }
  void exchange(Archive& archive) { archive(lost_); }

 private:
  /// Adds c D - shrink W and what earlier sums have lost.
  void add_carried(M& w, ScalarOf<M> shrink, ScalarOf<M> c, const M& d) {
    if (!lost_) combine(lost_.emplace(w), 0, 0, w);
    combine(*lost_, 1 - shrink, c, d);
    if (shrink != 0) combine(*lost_, 1, -shrink, w);
    M::for_planes(
        [](auto& sum, auto& lost) {
          for (Index i = 0; i < sum.size(); ++i)
            rarefact::add_carried(sum.data()[i], lost.data()[i], ScalarOf<M>(0));
        },
        w, *lost_);
  }

  bool carries_;
  M rounded_;
  std::optional<M> lost_ = {};
};

/// W is one matrix, and every update is made.
template <class M>
class OneMatrix : public Stepper<M> {
 public:
  explicit OneMatrix(Ruled<M> rule, bool carries = false) : rule_(std::move(rule)), updates_(carries) {}
  void direct(TrainingState<M>& state, const RuleContext<M>& context, const ScalarOf<M>& decay) override {
    rule_.direct(state, context, decay);
  }
  void measure(TrainingState<M>& state, const Workers&) override {
    state.measure();
    state.fall = rule_.fall(state);
  }
  bool advance(TrainingState<M>& state, const RuleContext<M>& context, std::int64_t) override {
    return updates_.advance(state, context.rounding);
  }
  void exchange(Archive& archive) override { archive(rule_, updates_); }

 private:
  Ruled<M> rule_;
  SingleUpdates<M> updates_;
};

}  // namespace rarefact
