#pragma once

/// Step-size schedules: η_t, the step size of update t = 0 … T-1, which leads from W_t to W_{t+1}. The first
/// update has t = 0, T is run.steps.

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

}  // namespace rarefact
