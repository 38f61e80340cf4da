#pragma once

/// The only training loop, for every algebra: evaluate, record, update.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "algebra/operations.hpp"
#include "core/status.hpp"
#include "metrics/metric.hpp"
#include "metrics/spectral.hpp"
#include "model/symmetric_memory.hpp"
#include "optim/schedule.hpp"
#include "optim/update_rule.hpp"
#include "rarefact/result.hpp"
#include "sim/checkpoint.hpp"
#include "sim/direction_measures.hpp"
#include "sim/fast_forward.hpp"
#include "sim/inputs.hpp"
#include "sim/recorder.hpp"

namespace rarefact {

/// What the loop needs besides memory and rule.
struct TrainingPlan {
  std::int64_t steps = 0;
  double step_size = 0;                   ///< η
  const ScheduleRow* schedule = nullptr;  ///< of η_t; null: constant
  double schedule_offset = 1;
  std::vector<std::int64_t> recorded;  ///< ascending, last one = steps
  bool spectral_metrics = false;
  double rho_epsilon = 0;    ///< ε of ϱ; 0: not measured
  bool push = false;         ///< measured
  bool alignment = false;    ///< measured
  bool twins = false;        ///< what a step does to their differences is measured
  bool curvature = false;    ///< the rule reads it
  bool expansion = false;    ///< the loss along the next update is measured
  bool orthonormal = false;  ///< the embeddings
  bool diagonal = true;      ///< the queries are the answers: logits have a diagonal
  /// Of W: what is more is rounding. A rule that rotates answers never leaves the left null space of gradients.
  double most_rank = std::numeric_limits<double>::infinity();
  WeightShape shape = {};    ///< of W in its own coordinates
  int repetition = 0;        ///< rounds at random, in the way of this repetition; 0: as the machine does
  std::optional<ForwardPlan> forward =
      {};                    ///< of columns of two numbers; nothing: updates are made one by one
  SampleSource sample = {};  ///< whose gradient a step takes; empty: the population's
  /// Adds cells that the state does not hold, such as the last class beyond the nodes of a quadrature.
  std::function<OneStepLogits<double>(OneStepLogits<double>)> complete_logits = {};
  std::function<void(std::int64_t done)> progress = {};  ///< may throw StoppedEarly
  Checkpoints* checkpoints = nullptr;                    ///< with names, or null: no state is kept
  TrainingNames* names = nullptr;
};

namespace train_detail {

/// Marks a trajectory as diverged after `step`, the last one whose state and loss were finite.
template <class M>
void mark_diverged(Trajectory& trajectory, std::int64_t step, const Gradient<M>& gradient, const M& w) {
  trajectory.status = text_of(Status::diverged);
  trajectory.status_step = std::max<std::int64_t>(step, 0);
  trajectory.status_detail =
      fmt::format("‖∇L‖ = {:g}, ‖W‖ = {:g} after step {}",
                  std::ldexp(static_cast<double>(frobenius_norm(gradient.ambient())), gradient.exponent),
                  static_cast<double>(frobenius_norm(w)), step + 1);
}

/// What is seen of the population and the gradient, of the population or of a sample where there is one;
/// either may be null.
template <class Memory>
void evaluate(const Memory& memory, const typename Memory::State& w, const Sample* sample,
              Gradient<typename Memory::State>* gradient, Observation* seen, const Workers& workers,
              const RandomRounding* rounding) {
  if (!sample) return memory.evaluate(w, gradient, seen, workers, rounding);
  if (seen) memory.evaluate(w, nullptr, seen, workers, rounding);
  if (!gradient) return;
  if constexpr (requires { memory.sampled_gradient(w, Sample{}, *gradient, workers); }) {
    memory.sampled_gradient(w, *sample, *gradient, workers, rounding);
  } else {
    throw std::logic_error("the gradient of a sample does not stay in this algebra");
  }
}

/// <D, msgn(∇L)>/rank, rank = ‖msgn‖², of the population's ∇L at W. Not a number where ∇L = 0.
template <class Memory>
double alignment_of(const Memory& memory, const typename Memory::State& w,
                    const Direction<typename Memory::State>& direction,
                    const RuleContext<typename Memory::State>& context) {
  using M = typename Memory::State;
  if constexpr (HasPolar<M>) {
    Gradient<M> population;
    memory.evaluate(w, &population, nullptr, context.workers, nullptr);
    typename M::Polar polar;
    M factor;
    if constexpr (std::is_same_v<M, DenseMatrix>) {
      factor = polar(population.ambient(), context.workers, context.polar);
    } else {
      factor = polar(population.ambient(), context.workers);
    }
    const auto along = inner(*direction.matrix, factor) / inner(factor, factor);
    return static_cast<double>(std::ldexp(1.0, direction.exponent) * ScalarOf<M>(along * direction.scale));
  } else {
    throw std::logic_error("columns have no polar factors");
  }
}

/// η_t of the update that follows step t.
template <class Real>
Real step_size_at(const TrainingPlan& plan, std::int64_t step) {
  if (!plan.schedule) return plan.step_size;
  return plan.step_size * plan.schedule->template factor_at<Real>({step, plan.steps, plan.schedule_offset});
}

/// Of an update of W by -x D in the units of D.
template <class Real>
CurvatureMeasures along_update(const Expansion<Real>& seen, const Real& x, bool orthonormal) {
  const Real penalty = x * Real(x * seen.variance) / Real(2);
  return {.first_order_gain = static_cast<double>(Real(x * seen.slope)),
          .curvature_penalty = static_cast<double>(penalty),
          .taylor_remainder = static_cast<double>(seen.remainder),
          .nds = static_cast<double>(Real(seen.variance / seen.size)),
          .nds_effective = orthonormal ? static_cast<double>(Real(seen.variance / seen.spread))
                                       : std::numeric_limits<double>::quiet_NaN()};
}

}  // namespace train_detail

/// Runs W <- W - η D from W = 0, shows the recorded states to `sink` and fills in spectral metrics, status
/// and status_step of `trajectory`. A run whose W or whose recorded loss stops being finite, or whose rule
/// finds no direction, is `diverged`: status_step is the last step before that, what was recorded is kept.
/// With checkpoints it goes on from the state that was kept last, and a stop keeps the state it stops at.
template <class Memory>
void train(const Memory& memory, UpdateRule<typename Memory::State>& rule, const TrainingPlan& plan,
           StateSink& sink, const Workers& workers, Trajectory& trajectory) {
  using M = typename Memory::State;
  using Real = ScalarOf<M>;
  using std::abs, std::ldexp;
  RuleContext<M> context{[&memory](const M& x) { return memory.to_ambient(x); }, workers, plan.shape};
  if constexpr (requires { memory.polar_hint(); }) context.polar = memory.polar_hint();
  std::function<Curvature<M>(const M&, const Sample*)> curvature_at;
  if constexpr (requires { memory.curvatures(workers); }) {
    if (plan.curvature) curvature_at = memory.curvatures(workers);
  }

  M w = memory.zero();
  context.weights = &w;
  if constexpr (requires { memory.second_moment_root(); })
    context.second_moment = [&memory] { return memory.second_moment_root(); };
  std::int64_t step = 0;  // updates made
  std::size_t next = 0;   // of the recorded steps
  bool over = false;
  trajectory.status = text_of(Status::complete);
  constexpr bool leaps = std::is_same_v<Memory, ColumnMemory>;
  std::optional<FastForward> forward;
  if constexpr (leaps) {
    if (plan.forward) forward.emplace(memory, *plan.forward, plan.step_size, workers);
  }
  // Of a training that is over what it has recorded is all.
  TrainingCheckpoint checkpoint(plan.checkpoints, plan.names, [&](Archive& archive) {
    archive(over, trajectory.status, trajectory.status_step, trajectory.status_detail, trajectory.total_error,
            trajectory.updates, trajectory.series, sink);
    if (!over) archive(step, next, w, rule);
    if constexpr (leaps) {
      if (!over && forward) archive(*forward);
    }
  });
  if (over) return;
  /// The metrics of a kind at the present step.
  const auto record = [&](MetricKind kind, const auto& seen_in, const std::string& of = "") {
    for (const MetricRow* metric : metrics_of(kind))
      series_of(of + metric->name, plan.recorded.size(), trajectory)[next] = metric->of(seen_in);
  };
  Gradient<M> gradient;
  Observation seen;
  seen.keeps_logits = plan.expansion;
  while (step <= plan.steps) {
    const bool recording = plan.recorded[next] == step, last = step == plan.steps;
    const bool spectral = recording && plan.spectral_metrics, pushing = recording && plan.push,
               expanding = recording && plan.expansion, aligning = recording && plan.alignment;
    const bool updating = !last || spectral || pushing || expanding || aligning;
    const Sample* sample = updating && plan.sample ? &plan.sample(step) : nullptr;
    const RandomRounding moves(plan.repetition, step);
    const RandomRounding* rounding = plan.repetition > 0 ? &moves : nullptr;
    train_detail::evaluate(memory, w, sample, updating ? &gradient : nullptr, recording ? &seen : nullptr,
                           workers, rounding);
    if (rounding && updating) rounding->gradient(gradient);
    if (recording) {
      if (!all_finite(seen)) {
        train_detail::mark_diverged(trajectory, step - 1, gradient, w);
        break;
      }
      sink.state(next, seen);
      if (plan.rho_epsilon > 0) {
        const auto logits = memory.logits(w);
        RightAnswers right;
        if constexpr (requires { memory.right_answers(); }) right = memory.right_answers();
        auto all = logits_for_rho(logits, right);
        if constexpr (std::is_same_v<Real, double>) {
          if (plan.complete_logits) all = plan.complete_logits(std::move(all));
        }
        record(MetricKind::retrieval, measure_rho(all, plan.rho_epsilon));
      }
    }
    trajectory.status_step = step;
    if (!updating) break;

    Curvature<M> curvature;
    if (curvature_at) {
      curvature = curvature_at(w, sample);
      context.curvature = &curvature;
    }
    const Direction<M> direction = rule.direction(gradient, context);
    if (!direction.failure.empty()) {
      if (last) break;  // there was only something to measure
      trajectory.status = text_of(Status::diverged);
      trajectory.status_detail = direction.failure;
      break;
    }
    if (spectral) {
      SingularValues update = singular_values(*direction.matrix);
      if (direction.of) update = largest(std::move(update), number_of(singular_values(*direction.of)));
      for (double& value : update.values)
        value = static_cast<double>(ldexp(Real(value * abs(direction.scale)), direction.exponent));
      record(MetricKind::spectral, levels_of(update), "update_");
      record(MetricKind::spectral, levels_of(largest(singular_values(w), plan.most_rank)), "weight_");
      const Real size = ldexp(direction.scale, direction.exponent);
      const Real leaked = memory.left_null_part(*direction.matrix, workers);
      constexpr double none = std::numeric_limits<double>::quiet_NaN();
      record(MetricKind::task,
             TaskMeasures{
                 .update_identity_deviation =
                     plan.diagonal ? identity_deviation(memory.logits(*direction.matrix), Real(-1 / size))
                                   : none,
                 .weight_identity_deviation = plan.diagonal ? identity_deviation(memory.logits(w)) : none,
                 .update_orthogonality_residual =
                     orthogonality_residual(update, static_cast<double>(direction.size)),
                 .update_null_space_leakage =
                     static_cast<double>(Real(leaked / frobenius_norm(*direction.matrix)))});
    }
    if (pushing) {
      std::vector<double> push = memory.right_logits(*direction.matrix, workers);
      for (double& one : push) {
        one = static_cast<double>(ldexp(Real(-one * direction.scale), direction.exponent));
        if (abs(one) < std::numeric_limits<double>::min()) one = 0;
      }
      sink.push(next, push);
    }
    if constexpr (requires(Real x) { memory.expansion(w, w, x, seen, workers); }) {
      if (expanding) {
        const Real x =
            ldexp(Real(train_detail::step_size_at<Real>(plan, step) * direction.scale), direction.exponent);
        record(MetricKind::curvature,
               train_detail::along_update(memory.expansion(w, *direction.matrix, x, seen, workers), x,
                                          plan.orthonormal));
      }
    }
    if (aligning) {
      const double along = train_detail::alignment_of(memory, w, direction, context);
      for (const MetricRow* metric : metrics_of(MetricKind::alignment))
        series_of(metric->name, plan.recorded.size(), trajectory)[next] = along;
    }
    if constexpr (requires { memory.twin_gain(gradient); }) {
      if (recording && plan.twins)
        sink.twin_gain(
            next, static_cast<double>(abs(train_detail::step_size_at<Real>(plan, step) * direction.size)) *
                      memory.twin_gain(gradient));
    }
    if (recording && !last) ++next;
    if (last) break;
    bool leapt = false;
    if constexpr (leaps) {
      leapt = forward && forward->ready(step, w);
      if (leapt) {
        forward->leap(step = plan.recorded[next], w);
        trajectory.updates = forward->updates();
      }
    }
    if (!leapt) {
      const Real step_size = train_detail::step_size_at<Real>(plan, step);
      M rounded;
      if (rounding) rounding->direction(rounded = *direction.matrix);
      const M& d = rounding ? rounded : *direction.matrix;
      combine(w, 1, ldexp(Real(-step_size * direction.scale), direction.exponent), d);
      if (rounding) rounding->weight(w);
      if (!still_finite(w, d)) {
        train_detail::mark_diverged(trajectory, step, gradient, w);
        break;
      }
      ++step;
      ++trajectory.updates;
    }
    checkpoint.keep_if_due();
    try {
      if (plan.progress) plan.progress(step);
    } catch (const StoppedEarly&) {
      checkpoint.keep(false);
      throw;
    }
  }
  over = true;
  checkpoint.keep(over);
}

/// Compiled once, in train50.cpp.
extern template void train(const SymmetricMemory<Real50>&, UpdateRule<SymmetricMatrix<Real50>>&,
                           const TrainingPlan&, StateSink&, const Workers&, Trajectory&);

}  // namespace rarefact
