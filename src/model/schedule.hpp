#pragma once

/// The steps of a run: W_{t+1} = (1 - η_t λ) W_t - η_t D for update t = 0 … T-1, T = run.steps. Schedules give η_t/η.

#include <cstdint>
#include <string>
#include <vector>

#include "core/real50.hpp"
#include "rarefact/catalogue.hpp"

namespace rarefact {

/// The time of an update in a run.
struct ScheduleTime {
  std::int64_t step = 0;   ///< t
  std::int64_t steps = 1;  ///< T
  double offset = 1;       ///< t0 > 0, for inverse_sqrt
};

struct ScheduleRow : CatalogueRow {
  double (*factor)(const ScheduleTime&) = nullptr;    ///< η_t/η
  Real50 (*factor50)(const ScheduleTime&) = nullptr;  ///< the same in 50 digits

  template <class Real>
  Real factor_at(const ScheduleTime& time) const {
    if constexpr (std::is_same_v<Real, double>)
      return factor(time);
    else
      return factor50(time);
  }
};

/// The schedules: constant, inverse_sqrt, linear, cosine.
const std::vector<ScheduleRow>& schedule_catalogue();

/// The row of a schedule that validation has accepted.
const ScheduleRow& schedule_row(const std::string& name);

/// The step of one update.
template <class Real>
struct Step {
  Real size{0};   ///< η_t
  Real decay{0};  ///< λ
};

/// The steps of a run, one function of t: for its training, its predictions and its digits.
struct StepSchedule {
  double step_size = 0;  ///< η
  const ScheduleRow* row = &schedule_row("constant");
  std::int64_t steps = 1;  ///< T
  double offset = 1;       ///< t0
  double decay = 0;        ///< λ

  template <class Real = double>
  Step<Real> at(std::int64_t t) const {
    return {step_size * row->factor_at<Real>({t, steps, offset}), Real(decay)};
  }
};

}  // namespace rarefact
