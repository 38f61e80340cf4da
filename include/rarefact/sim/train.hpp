#pragma once

/// The only training loop, for every algebra: evaluate, record, update.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "rarefact/metrics/metric.hpp"
#include "rarefact/metrics/spectral.hpp"
#include "rarefact/model/symmetric_memory.hpp"
#include "rarefact/optim/update_rule.hpp"
#include "rarefact/sim/direction_measures.hpp"
#include "rarefact/sim/recorder.hpp"
#include "rarefact/sim/result.hpp"

namespace rarefact {

/// What the loop needs besides memory and rule.
struct TrainingPlan {
  std::int64_t steps = 0;
  double step_size = 0;
  std::vector<std::int64_t> recorded;  ///< ascending, last one = steps
  bool spectral_metrics = false;
  double rho_epsilon = 0;  ///< ε of ϱ; 0: not measured
  /// Adds cells that the state does not hold, such as the last class beyond the nodes of a quadrature.
  std::function<OneStepLogits<double>(OneStepLogits<double>)> complete_logits = {};
  std::function<void(std::int64_t done)> progress = {};
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

inline void record_number(std::size_t record, std::size_t records, const std::string& name, double value,
                          Trajectory& trajectory) {
  std::vector<double>& series = trajectory.series[name];
  if (series.empty()) series.assign(records, std::numeric_limits<double>::quiet_NaN());
  series[record] = value;
}

/// Puts ϱ of the direction of W into the trajectory's series.
template <class M>
void record_rho(std::size_t record, const TrainingPlan& plan, const M& logits, Trajectory& trajectory) {
  auto seen = logits_for_rho(logits);
  if constexpr (std::is_same_v<ScalarOf<M>, double>) {
    if (plan.complete_logits) seen = plan.complete_logits(std::move(seen));
  }
  const RhoMeasures rho = measure_rho(seen, plan.rho_epsilon);
  const std::size_t records = plan.recorded.size();
  record_number(record, records, "rho", rho.infimum, trajectory);
  record_number(record, records, "rho_at_threshold", rho.at_threshold, trajectory);
  record_number(record, records, "rho_deficit", rho.deficit, trajectory);
  record_number(record, records, "rho_scale", rho.scale, trajectory);
}

/// Puts the spectral metrics of a matrix into the trajectory's series.
inline void record_spectrum(std::size_t record, std::size_t records, const char* of,
                            const SingularValues& values, Trajectory& trajectory) {
  const std::vector<double> measures = spectral_metrics(values);
  std::size_t next = 0;
  for (const MetricRow& metric : metric_catalogue()) {
    if (metric.kind != MetricKind::spectral) continue;
    record_number(record, records, of + metric.name, measures[next++], trajectory);
  }
}

}  // namespace train_detail

/// Runs W <- W - η D from W = 0, shows the recorded states to `sink` and fills in spectral metrics, status
/// and status_step of `trajectory`. A run whose W or whose recorded loss stops being finite is `diverged`:
/// status_step is the last step before that, what was recorded is kept.
template <class Memory>
void train(const Memory& memory, UpdateRule<typename Memory::State>& rule, const TrainingPlan& plan,
           StateSink& sink, const Workers& workers, Trajectory& trajectory) {
  using M = typename Memory::State;
  using Real = ScalarOf<M>;
  using std::abs, std::ldexp;
  const RuleContext<M> context{[&memory](const M& x) { return memory.to_ambient(x); }, workers};

  M w = memory.zero();
  Gradient<M> gradient;
  Observation seen;
  std::size_t next = 0;
  trajectory.status = "complete";
  for (std::int64_t step = 0; step <= plan.steps; ++step) {
    const bool recording = plan.recorded[next] == step, last = step == plan.steps;
    const bool spectral = recording && plan.spectral_metrics;
    memory.evaluate(w, last && !spectral ? nullptr : &gradient, recording ? &seen : nullptr, workers);
    if (recording) {
      if (!train_detail::all_finite(seen)) {
        train_detail::mark_diverged(trajectory, step - 1, gradient, w);
        break;
      }
      sink.state(next, seen);
      if (plan.rho_epsilon > 0) train_detail::record_rho(next, plan, memory.logits(w), trajectory);
    }
    trajectory.status_step = step;
    if (last && !spectral) break;

    const Direction<M> direction = rule.direction(gradient, context);
    if (spectral) {
      SingularValues update = singular_values(*direction.matrix);
      for (double& value : update.values)
        value = static_cast<double>(ldexp(Real(value * abs(direction.scale)), direction.exponent));
      const std::size_t records = plan.recorded.size();
      train_detail::record_spectrum(next, records, "update_", update, trajectory);
      train_detail::record_spectrum(next, records, "weight_", singular_values(w), trajectory);
      const Real size = ldexp(direction.scale, direction.exponent);
      train_detail::record_number(next, records, "update_identity_deviation",
                                  identity_deviation(memory.logits(*direction.matrix), Real(-1 / size)),
                                  trajectory);
      train_detail::record_number(next, records, "weight_identity_deviation",
                                  identity_deviation(memory.logits(w)), trajectory);
    }
    if (recording && !last) ++next;
    if (last) break;
    combine(w, 1, ldexp(Real(-plan.step_size * direction.scale), direction.exponent), *direction.matrix);
    if (!train_detail::all_finite(w)) {
      train_detail::mark_diverged(trajectory, step, gradient, w);
      break;
    }
    if (plan.progress) plan.progress(step + 1);
  }
}

/// Compiled once, in train50.cpp.
extern template void train(const SymmetricMemory<Real50>&, UpdateRule<SymmetricMatrix<Real50>>&,
                           const TrainingPlan&, StateSink&, const Workers&, Trajectory&);

}  // namespace rarefact
