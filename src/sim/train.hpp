#pragma once

/// The only training loop, for every algebra: evaluate, record, update.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "metrics/metric.hpp"
#include "metrics/spectral.hpp"
#include "model/symmetric_memory.hpp"
#include "optim/schedule.hpp"
#include "optim/update_rule.hpp"
#include "rarefact/result.hpp"
#include "sim/checkpoint.hpp"
#include "sim/direction_measures.hpp"
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
  bool curvature = false;    ///< the rule reads it
  WeightShape shape = {};    ///< of W in its own coordinates
  SampleSource sample = {};  ///< whose gradient a step takes; empty: the population's
  /// Adds cells that the state does not hold, such as the last class beyond the nodes of a quadrature.
  std::function<OneStepLogits<double>(OneStepLogits<double>)> complete_logits = {};
  std::function<void(std::int64_t done)> progress = {};  ///< may throw StoppedEarly
  Checkpoints* checkpoints = nullptr;                    ///< with names, or null: no state is kept
  TrainingNames* names = nullptr;
};

namespace train_detail {

/// The largest entry, infinite or not a number as soon as any entry is.
inline double largest_entry(const Matrix& x) {
  return x.cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
}
inline bool all_finite(const DenseMatrix& x) {
  return std::isfinite(largest_entry(x.entries));
}
inline bool all_finite(const ColumnMatrix& x) {
  return std::isfinite(x.own.cwiseAbs().maxCoeff<Eigen::PropagateNaN>()) &&
         std::isfinite(x.other.cwiseAbs().maxCoeff<Eigen::PropagateNaN>());
}
inline bool all_finite(const SymmetricMatrix<double>& x) {
  return std::isfinite(largest_entry(x.own_entries())) && std::isfinite(largest_entry(x.other_entries()));
}
inline bool all_finite(const SymmetricMatrix<Real50>& x) {
  const auto finite = [](const Real50& entry) { return isfinite(entry); };
  const auto& own = x.own_entries();
  const auto& other = x.other_entries();
  return std::all_of(own.data(), own.data() + own.size(), finite) &&
         std::all_of(other.data(), other.data() + other.size(), finite);
}

/// Whether W, finite before, is so after an update: only columns that the update holds have changed.
template <class M>
bool still_finite(const M& w, const M&) {
  return all_finite(w);
}
inline bool still_finite(const ColumnMatrix& w, const ColumnMatrix& update) {
  if (!update.held) return all_finite(w);
  return std::all_of(update.held->begin(), update.held->end(),
                     [&](Index l) { return std::isfinite(w.own(l)) && std::isfinite(w.other(l)); });
}

inline bool all_finite(const Observation& seen) {
  const auto finite = [](double x) { return std::isfinite(x); };
  return std::all_of(seen.error.begin(), seen.error.end(), finite) &&
         std::all_of(seen.excess_loss.begin(), seen.excess_loss.end(), finite);
}

/// Marks a trajectory as diverged after `step`, the last one whose state and loss were finite.
template <class M>
void mark_diverged(Trajectory& trajectory, std::int64_t step, const Gradient<M>& gradient, const M& w) {
  trajectory.status = "diverged";
  trajectory.status_step = std::max<std::int64_t>(step, 0);
  trajectory.status_detail =
      fmt::format("‖∇L‖ = {:g}, ‖W‖ = {:g} after step {}",
                  std::ldexp(static_cast<double>(frobenius_norm(gradient.ambient())), gradient.exponent),
                  static_cast<double>(frobenius_norm(w)), step + 1);
}

/// Puts value(row) of the metrics of a kind into the trajectory's series.
template <class Value>
void record_metrics(MetricKind kind, std::size_t record, std::size_t records, Trajectory& trajectory,
                    const Value& value) {
  for (const MetricRow* metric : metrics_of(kind))
    series_of(metric->name, records, trajectory)[record] = value(*metric);
}

/// Puts ϱ of the direction of W into the trajectory's series.
template <class M>
void record_rho(std::size_t record, const TrainingPlan& plan, const M& logits, Trajectory& trajectory) {
  auto seen = logits_for_rho(logits);
  if constexpr (std::is_same_v<ScalarOf<M>, double>) {
    if (plan.complete_logits) seen = plan.complete_logits(std::move(seen));
  }
  const RhoMeasures rho = measure_rho(seen, plan.rho_epsilon);
  record_metrics(MetricKind::retrieval, record, plan.recorded.size(), trajectory,
                 [&](const MetricRow& metric) { return metric.of(rho); });
}

/// Puts the spectral metrics of a matrix into the trajectory's series.
inline void record_spectrum(std::size_t record, std::size_t records, const char* of,
                            const SingularValues& values, Trajectory& trajectory) {
  const std::vector<double> measures = spectral_metrics(values);
  std::size_t next = 0;
  for (const MetricRow* metric : metrics_of(MetricKind::spectral))
    series_of(of + metric->name, records, trajectory)[record] = measures[next++];
}

/// What is seen of the population and the gradient, of the population or of a sample where there is one;
/// either may be null.
template <class Memory>
void evaluate(const Memory& memory, const typename Memory::State& w, const Sample* sample,
              Gradient<typename Memory::State>* gradient, Observation* seen, const Workers& workers) {
  if (!sample) return memory.evaluate(w, gradient, seen, workers);
  if (seen) memory.evaluate(w, nullptr, seen, workers);
  if (!gradient) return;
  if constexpr (requires { memory.sampled_gradient(w, Sample{}, *gradient, workers); }) {
    memory.sampled_gradient(w, *sample, *gradient, workers);
  } else {
    throw std::logic_error("the gradient of a sample does not stay in this algebra");
  }
}

/// η_t of the update that follows step t.
template <class Real>
Real step_size_at(const TrainingPlan& plan, std::int64_t step) {
  if (!plan.schedule) return plan.step_size;
  return plan.step_size * plan.schedule->template factor_at<Real>({step, plan.steps, plan.schedule_offset});
}

/// Where a training stands: with the rule, all that decides how it goes on.
template <class M>
struct TrainingState {
  M w;
  std::int64_t step = 0;  ///< updates made
  std::size_t next = 0;   ///< index of the next recorded step
  bool over = false;
};

/// Saves or loads a training with what it has recorded. Of one that is over that is all.
template <class M>
void exchange(Archive& archive, TrainingState<M>& at, UpdateRule<M>& rule, StateSink& sink,
              Trajectory& trajectory) {
  archive(at.over, trajectory.status, trajectory.status_step, trajectory.status_detail,
          trajectory.total_error, trajectory.series, sink);
  if (!at.over) archive(at.step, at.next, at.w, rule);
}

/// The checkpoints of one training; does nothing where none are wanted.
template <class M>
class TrainingCheckpoint {
 public:
  TrainingCheckpoint(const TrainingPlan& plan, TrainingState<M>& at, UpdateRule<M>& rule, StateSink& sink,
                     Trajectory& trajectory)
      : checkpoints_(plan.checkpoints), at_(at), rule_(rule), sink_(sink), trajectory_(trajectory) {
    if (!checkpoints_) return;
    name_ = plan.names->next();
    round_ = checkpoints_->round();
    const std::vector<std::byte> kept = checkpoints_->kept(name_);
    if (kept.empty()) return;
    Archive archive(kept);
    exchange(archive, at_, rule_, sink_, trajectory_);
    archive.finish();
  }

  void keep() {
    if (!checkpoints_) return;
    Archive archive;
    exchange(archive, at_, rule_, sink_, trajectory_);
    checkpoints_->keep(name_, archive.take(), at_.over);
  }

  void keep_if_due() {
    if (!checkpoints_ || checkpoints_->round() == round_) return;
    round_ = checkpoints_->round();
    keep();
  }

 private:
  Checkpoints* checkpoints_;
  TrainingState<M>& at_;
  UpdateRule<M>& rule_;
  StateSink& sink_;
  Trajectory& trajectory_;
  std::string name_;
  std::uint64_t round_ = 0;
};

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

  train_detail::TrainingState<M> at{.w = memory.zero()};
  trajectory.status = "complete";
  train_detail::TrainingCheckpoint<M> checkpoint(plan, at, rule, sink, trajectory);
  if (at.over) return;
  M& w = at.w;
  std::size_t& next = at.next;
  Gradient<M> gradient;
  Observation seen;
  for (std::int64_t& step = at.step; step <= plan.steps;) {
    const bool recording = plan.recorded[next] == step, last = step == plan.steps;
    const bool spectral = recording && plan.spectral_metrics, pushing = recording && plan.push;
    const bool updating = !last || spectral || pushing;
    const Sample* sample = updating && plan.sample ? &plan.sample(step) : nullptr;
    train_detail::evaluate(memory, w, sample, updating ? &gradient : nullptr, recording ? &seen : nullptr,
                           workers);
    if (recording) {
      if (!train_detail::all_finite(seen)) {
        train_detail::mark_diverged(trajectory, step - 1, gradient, w);
        break;
      }
      sink.state(next, seen);
      if (plan.rho_epsilon > 0) train_detail::record_rho(next, plan, memory.logits(w), trajectory);
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
      trajectory.status = "diverged";
      trajectory.status_detail = direction.failure;
      break;
    }
    if (spectral) {
      SingularValues update = singular_values(*direction.matrix);
      for (double& value : update.values)
        value = static_cast<double>(ldexp(Real(value * abs(direction.scale)), direction.exponent));
      const std::size_t records = plan.recorded.size();
      train_detail::record_spectrum(next, records, "update_", update, trajectory);
      train_detail::record_spectrum(next, records, "weight_", singular_values(w), trajectory);
      const Real size = ldexp(direction.scale, direction.exponent);
      const Real leaked = memory.left_null_part(*direction.matrix, workers);
      const TaskMeasures task{
          .update_identity_deviation = identity_deviation(memory.logits(*direction.matrix), Real(-1 / size)),
          .weight_identity_deviation = identity_deviation(memory.logits(w)),
          .update_orthogonality_residual =
              orthogonality_residual(update, static_cast<double>(direction.size)),
          .update_null_space_leakage = static_cast<double>(Real(leaked / frobenius_norm(*direction.matrix)))};
      train_detail::record_metrics(MetricKind::task, next, records, trajectory,
                                   [&](const MetricRow& metric) { return metric.of(task); });
    }
    if (pushing) {
      std::vector<double> push = memory.right_logits(*direction.matrix, workers);
      for (double& one : push)
        one = static_cast<double>(ldexp(Real(-one * direction.scale), direction.exponent));
      sink.push(next, push);
    }
    if (recording && !last) ++next;
    if (last) break;
    const Real step_size = train_detail::step_size_at<Real>(plan, step);
    combine(w, 1, ldexp(Real(-step_size * direction.scale), direction.exponent), *direction.matrix);
    if (!train_detail::still_finite(w, *direction.matrix)) {
      train_detail::mark_diverged(trajectory, step, gradient, w);
      break;
    }
    ++step;
    checkpoint.keep_if_due();
    try {
      if (plan.progress) plan.progress(step);
    } catch (const StoppedEarly&) {
      checkpoint.keep();
      throw;
    }
  }
  at.over = true;
  checkpoint.keep();
}

/// Compiled once, in train50.cpp.
extern template void train(const SymmetricMemory<Real50>&, UpdateRule<SymmetricMatrix<Real50>>&,
                           const TrainingPlan&, StateSink&, const Workers&, Trajectory&);

}  // namespace rarefact
