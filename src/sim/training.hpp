#pragma once

/// The only training loop, for every algebra: evaluate, record, update.

#include <fmt/format.h>

#include <memory>

#include "algebra/operations.hpp"
#include "core/status.hpp"
#include "model/symmetric_layout.hpp"
#include "sim/moment.hpp"
#include "sim/recorder.hpp"
#include "sim/start.hpp"

namespace rarefact {

/// The rule of W, or of each of its factors.
template <class M>
using RulesOf = std::vector<UpdateRule<M>*>;

/// Runs W ← (1 - ηλ) W - η D from the start of the experiment, shows the recorded states to the recorder and fills in status and status_step
/// of the trajectory. A run whose W or recorded loss is no longer finite, or whose rule finds no direction,
/// is `diverged`: status_step is the last step before, and recorded values are kept. With checkpoints it
/// continues from the last stored state, and a stop stores the current state.
template <class Memory>
class Training {
 public:
  using M = typename Memory::State;
  using Real = ScalarOf<M>;
  static constexpr MemoryKind kind = Memory::kind;

  /// All arguments must outlive it.
  Training(const Memory& memory, const RulesOf<M>& rules, const TrainingPlan& plan, Recorder& recorder)
      : memory_(memory),
        plan_(plan),
        recorder_(recorder),
        trajectory_(plan.trajectory),
        context_{[&memory](const M& x) { return memory.to_ambient(x); }, plan.problem.workers, plan.shape,
                 plan.experiment.steps} {
    const Workers& workers = context_.workers;
    context_.weights = &state_.w;
    if constexpr (kind == MemoryKind::dense) context_.polar = memory.polar_hint();
    context_.polar.max_rank = plan.unit.variant.max_rank;
    context_.polar.known_rank = plan.known_rank;
    // From elsewhere than 0, or by a rule of entries, W need not have the null vectors of gradients.
    const Symmetries has = plan.unit.rule().symmetries_of(plan.unit.choice->parameters);
    keeps_null_ = plan.experiment.starts_at_zero() && has.answers_rotate && !has.reads_task;
    if (plan.schedule.coupled && !keeps_null_) context_.polar.left_null = nullptr;
    context_.second_moment = [&memory] { return memory.second_moment_root(); };
    context_.probabilities = [&memory](Side side) { return memory.probabilities(side); };
    if constexpr (kind == MemoryKind::dense || kind == MemoryKind::least_squares) {
      if (plan.unit.rule().reads_hessian) hessian_at_ = memory.hessians(workers);
    }
    set_stepper(rules, start_of(memory, plan));
    state_.seen.keeps_logits = plan.probes.needs.logits;
    if (!plan.experiment.starts_at_zero()) memory.note_sizes(state_.w, state_.w, sizes_);
    state_.seen.top_ranks.assign(plan.experiment.top.begin(), plan.experiment.top.end());
    trajectory_.status = text_of(Status::complete);
  }

  void run() {
    const Watch& watch = plan_.watch;
    const auto& [nodes, repetition, perturbed, leaps_earlier, no_epsilon, tame, max_rank] =
        plan_.unit.variant;
    const std::string name =
        fmt::format("{}.{}.{}{}{}{}{}", watch.name, nodes, repetition, perturbed ? ".perturbed" : "",
                    leaps_earlier ? ".check" : "", no_epsilon ? ".epsilon" : "", tame > 0 ? ".tame" : "");
    TrainingCheckpoint checkpoint(watch.checkpoints, name, [this](Archive& archive) { exchange(archive); });
    if (over_) return;
    while (move_on()) {
      checkpoint.keep_if_due();
      try {
        if (watch.progress) watch.progress(state_.step);
      } catch (const StoppedEarly&) {
        checkpoint.keep(false);
        throw;
      }
    }
    over_ = true;
    if (plan_.experiment.weights && plan_.unit.variant.shown() && trajectory_.status == Status::complete)
      store_weights();
    checkpoint.keep(over_);
  }

 private:
  void set_stepper(const RulesOf<M>& rules, Factors<M> start) {
    if (start.right) {
      auto product = std::make_unique<ProductUpdates<M>>(*rules.at(0), *rules.at(1), std::move(start),
                                                         inner_dimension(plan_.experiment, plan_.spectrum),
                                                         start_row(plan_.experiment.init.kind).drawn);
      state_.w = product->product(context_.workers);
      stepper_ = std::move(product);
      return;
    }
    state_.w = std::move(start.left);
    std::function<M(const M&)> task;
    std::function<void(M&)> in_range;
    if (plan_.symmetries.reads_task) task = [this](const M& x) { return memory_.logits(x); };
    if constexpr (kind == MemoryKind::dense || kind == MemoryKind::symmetric) {
      if (keeps_null_) in_range = [this](M& x) { memory_.drop_left_null(x); };
    }
    Ruled<M> rule(*rules.at(0), std::move(task), std::move(in_range));
    if constexpr (kind == MemoryKind::columns) {
      if (plan_.forward) {
        stepper_ = std::make_unique<Leaps>(std::move(rule), memory_, *plan_.forward, plan_.schedule.at(0),
                                           context_.workers);
        return;
      }
    }
    if constexpr (std::is_same_v<Memory, SquaresMemory<ColumnLayout>>) {
      if (plan_.forward) {
        stepper_ =
            squares_leaps(std::move(rule), memory_.problem(), plan_.schedule.at(0), plan_.query.by_signs());
        return;
      }
    }
    stepper_ = std::make_unique<OneMatrix<M>>(std::move(rule));
  }

  /// Saves or loads the state; for a finished training only the recorded data.
  void exchange(Archive& archive) {
    archive(over_, trajectory_.status, trajectory_.status_step, trajectory_.status_detail,
            trajectory_.total_error, trajectory_.updates, trajectory_.quadrature_error, trajectory_.series,
            trajectory_.ranks, trajectory_.weights, trajectory_.weights_u, trajectory_.weights_v);
    if (!over_) archive(next_, state_.step, state_.updates, state_.w, sizes_, *stepper_);
  }

  /// Records the state and makes the next updates; false if the run is over.
  bool move_on() {
    const std::int64_t step = state_.step;
    const int repetition = plan_.unit.variant.repetition;
    using std::isfinite;
    const std::int64_t tame = plan_.unit.variant.tame_steps;
    const bool recording = plan_.problem.steps[next_] == step,
               last = step == (tame > 0 ? tame : plan_.experiment.steps);
    const bool updating = !last || (recording && plan_.probes.needs.update);
    const Sample* sample = updating && plan_.sample ? &plan_.sample(step) : nullptr;
    const auto moves =
        repetition > 0 ? std::optional(RandomRounding(repetition, step, tame > 0)) : std::nullopt;
    const RandomRounding* rounding = moves ? &*moves : nullptr;
    evaluate(sample, updating, recording, rounding);
    state_.next = plan_.schedule.template at<Real>(step);
    if (!isfinite(state_.next.size)) state_.next.size = std::numeric_limits<Real>::quiet_NaN();
    const Real decay = state_.next.decay;
    if (plan_.schedule.coupled) state_.next.decay = Real(0);
    MomentOf<Memory> moment(memory_, plan_, context_, state_, *stepper_);
    if (recording) {
      if (!all_finite(state_.seen)) return diverged(step - 1);
      recorder_.state(next_, state_.seen);
      plan_.probes.observe(false, moment, recorder_);
    }
    trajectory_.status_step = step;
    if (!updating) return false;

    Hessian<M> hessian;
    if (hessian_at_) {
      hessian = hessian_at_(state_.w, sample);
      context_.hessian = &hessian;
    }
    context_.rounding = rounding;
    stepper_->direct(state_, context_, plan_.schedule.coupled ? decay : Real(0));
    if (!state_.direction.failure.empty()) {
      if (last) return false;  // the last step is only measured
      end(state_.direction.failure);
      return false;
    }
    std::vector<RankFrom>& ranks = trajectory_.ranks;
    const double rank = state_.direction.rank, dropped = state_.direction.dropped;
    if (ranks.empty() || ranks.back().rank != rank || ranks.back().dropped != dropped)
      ranks.push_back({step, rank, dropped});
    if (recording && plan_.probes.needs.update) {
      stepper_->measure(state_, context_.workers);
      plan_.probes.observe(true, moment, recorder_);
      if (decay != Real(0)) recorder_.number("update_digits", digits_of_update());
    }
    if (last) return false;
    if (!(state_.next.size >= Real(0))) {
      end(fmt::format("the schedule gives η_t = {:g} at step {}", static_cast<double>(state_.next.size),
                      step));
      return false;
    }
    if (tame > 0) state_.next = {step < tame_moves ? unit_step() : Real(0), Real(0)};
    if (recording) ++next_;
    std::string note = state_.direction.note;
    if (const Real shrink = state_.next.size * decay; note.empty() && shrink > Real(1))
      note = overshoot_text(static_cast<double>(shrink));
    if (!note.empty() && trajectory_.status_detail.empty())
      trajectory_.status_detail = fmt::format("from step {} on {}", step, note);
    const bool finite = stepper_->advance(state_, context_, plan_.problem.steps[next_]);
    trajectory_.updates = state_.updates;
    memory_.note_sizes(state_.w, *state_.direction.matrix, sizes_);
    return finite || diverged(step, state_.direction.not_finite);
  }

  /// The digits that the update has if its parts have all: rounding is `fall` times as large relative to it.
  double digits_of_update() const {
    const double unit = plan_.experiment.single() ? std::numeric_limits<float>::epsilon()
                                                  : static_cast<double>(std::numeric_limits<Real>::epsilon());
    const double digits = -std::log10(unit) - std::log10(static_cast<double>(state_.fall)) - 1;
    return std::clamp(digits, 0.0, static_cast<double>(std::numeric_limits<double>::digits10));
  }

  /// η for which ‖η D‖ = 1; 0 if D is 0.
  Real unit_step() const {
    using std::ldexp;
    const Direction<M>& d = state_.direction;
    const Real norm = ldexp(Real(d.scale * frobenius_norm(*d.matrix)), d.exponent), step = Real(1) / norm;
    return norm > Real(0) && step > Real(0) ? step : Real(0);
  }

  /// Computes the observation of the population, and the gradient of the population or, if not null, of a
  /// sample.
  void evaluate(const Sample* sample, bool updating, bool recording, const RandomRounding* rounding) {
    const Workers& workers = context_.workers;
    Gradient<M>* gradient = updating ? &state_.gradient : nullptr;
    Observation* seen = recording ? &state_.seen : nullptr;
    if (seen || !sample)
      memory_.evaluate(state_.w, sample ? nullptr : gradient, seen, workers, rounding, &sizes_);
    if (sample) memory_.sampled_gradient(state_.w, *sample, *gradient, workers, rounding, &sizes_);
    if (gradient && rounding) rounding->gradient(*gradient);
  }

  /// Ends the run as diverged; a note of earlier steps is kept.
  void end(const std::string& why) {
    std::string& detail = trajectory_.status_detail;
    trajectory_.status = text_of(Status::diverged);
    detail = why + (detail.empty() ? "" : "; " + detail);
  }

  void store_weights() {
    trajectory_.weights = stored(state_.w);
    const std::vector<const M*> factors = stepper_->factors();
    if (factors.empty()) return;
    trajectory_.weights_u = stored(*factors[0]);
    trajectory_.weights_v = stored(*factors[1]);
  }

  /// Ends the run as diverged and returns false. `step`: the last one with finite state and loss; `part`: the
  /// first part of the rule that was not finite, if known.
  bool diverged(std::int64_t step, const std::string& part = {}) {
    trajectory_.status_step = std::max<std::int64_t>(step, 0);
    // The sign of a NaN means nothing.
    const auto size = [](const M& x, int exponent) {
      const double norm = std::ldexp(static_cast<double>(frobenius_norm(x)), exponent);
      return std::isnan(norm) ? NAN : norm;
    };
    end(fmt::format("‖∇L‖ = {:g}, ‖W‖ = {:g} after step {}{}",
                    size(state_.gradient.ambient(), state_.gradient.exponent), size(state_.w, 0), step + 1,
                    part.empty() ? "" : "; the first part that is not finite is " + part));
    return false;
  }

  const Memory& memory_;
  const TrainingPlan& plan_;
  Recorder& recorder_;
  Trajectory& trajectory_;
  RuleContext<M> context_;
  std::function<Hessian<M>(const M&, const Sample*)> hessian_at_ = {};
  std::unique_ptr<Stepper<M>> stepper_;
  bool keeps_null_ = false;  // W has the left null vector of gradients
  TrainingState<M> state_ = {};
  VectorOf<Real> sizes_ = {};  // that entries of W have had, for ties
  std::size_t next_ = 0;       // index of the next recorded step
  bool over_ = false;
};

/// Compiled once, in training50.cpp.
extern template class Training<SymmetricMemory<Real50>>;

}  // namespace rarefact
