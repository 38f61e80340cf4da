#pragma once

/// The only training loop, for every algebra: evaluate, record, update.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "rarefact/metrics/metric.hpp"
#include "rarefact/metrics/spectral.hpp"
#include "rarefact/optim/update_rule.hpp"
#include "rarefact/sim/class_rows.hpp"
#include "rarefact/sim/result.hpp"

namespace rarefact {

/// What the loop needs besides memory and rule.
struct TrainingPlan {
  std::int64_t steps = 0;
  double step_size = 0;
  std::vector<std::int64_t> recorded;  ///< ascending, last one = steps
  double irreducible_loss = 0;
  bool spectral_metrics = false;
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

/// Series of the trajectory, by name, at one recorded step.
class Recorder {
 public:
  Recorder(const TrainingPlan& plan, const CellsToRows& to_rows, std::size_t rows, Trajectory& trajectory)
      : plan_(plan), to_rows_(to_rows), rows_(rows), series_(trajectory.series) {
    const double missing = std::numeric_limits<double>::quiet_NaN();
    for (const MetricRow& metric : metric_catalogue()) {
      if (metric.kind == MetricKind::trajectory) {
        series_[metric.name].assign(plan.recorded.size() * (metric.per_class ? rows : 1), missing);
      } else if (plan.spectral_metrics) {
        series_["update_" + metric.name].assign(plan.recorded.size(), missing);
        series_["weight_" + metric.name].assign(plan.recorded.size(), missing);
      }
    }
  }

  void state(std::size_t at, const Observation& seen) {
    const Totals sums = totals(to_rows_.cells(), seen, plan_.irreducible_loss);
    series_["loss"][at] = sums.loss;
    series_["excess_loss"][at] = sums.excess_loss;
    series_["gap"][at] = sums.gap;
    series_["recovered_count"][at] = sums.recovered_count;
    series_["recovered_weight"][at] = sums.recovered_weight;
    to_rows_(seen.error, &series_["error"][at * rows_]);
    double* loss = &series_["class_loss"][at * rows_];
    to_rows_(seen.excess_loss, loss);
    for (std::size_t row = 0; row < rows_; ++row) loss[row] += plan_.irreducible_loss;
  }

  void spectrum(std::size_t at, const char* of, const SingularValues& values) {
    const std::vector<double> measures = spectral_metrics(values);
    std::size_t next = 0;
    for (const MetricRow& metric : metric_catalogue()) {
      if (metric.kind == MetricKind::spectral) series_[of + metric.name][at] = measures[next++];
    }
  }

 private:
  const TrainingPlan& plan_;
  const CellsToRows& to_rows_;
  std::size_t rows_;
  std::map<std::string, std::vector<double>>& series_;
};

}  // namespace train_detail

/// Runs W <- W - η D from W = 0 and fills the measured series, status and status_step of `trajectory`. A run
/// whose W or whose recorded loss stops being
/// finite is `diverged`: status_step is the last step before that, what was recorded is kept.
template <class Memory>
void train(const Memory& memory, UpdateRule<typename Memory::State>& rule, const TrainingPlan& plan,
           const ClassRows& rows, const Workers& workers, Trajectory& trajectory) {
  using M = typename Memory::State;
  const CellsToRows to_rows(memory.cells(), rows);
  train_detail::Recorder record(plan, to_rows, rows.size(), trajectory);
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
      record.state(next, seen);
    }
    trajectory.status_step = step;
    if (last && !spectral) break;

    const Direction<M> direction = rule.direction(gradient, context);
    if (spectral) {
      SingularValues update = singular_values(*direction.matrix);
      for (double& value : update.values) {
        value = std::ldexp(value * std::abs(direction.scale), direction.exponent);
      }
      record.spectrum(next, "update_", update);
      record.spectrum(next, "weight_", singular_values(w));
    }
    if (recording && !last) ++next;
    if (last) break;
    combine(w, 1, std::ldexp(-plan.step_size * direction.scale, direction.exponent), *direction.matrix);
    if (!train_detail::all_finite(w)) {
      train_detail::mark_diverged(trajectory, step, gradient, w);
      break;
    }
    if (plan.progress) plan.progress(step + 1);
  }
}

}  // namespace rarefact
