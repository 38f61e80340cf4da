#pragma once

/// The steps of a run: W_{t+1} = (1 - η_t λ) W_t - η_t D for update t = 0 … T-1, T = run.steps. In a warm-up of n
/// updates η_t = η (t+1)/n; then a schedule gives η_t/η, in which step and steps count from its end.

#include <iterator>
#include <memory>
#include <type_traits>

#include "core/number_expression.hpp"
#include "rarefact/catalogue.hpp"

namespace rarefact {

struct ScheduleRow : CatalogueRow {
  std::string factor;  ///< η_t/η, an expression of step, steps, pi and t0
};

/// The schedules with a name: constant, inverse_sqrt, linear, cosine.
const std::vector<ScheduleRow>& schedule_catalogue();

/// η_t/η of a schedule: of the row of this name, or an expression of step, steps and pi. Throws InputError.
NumberExpression schedule_factor(const std::string& schedule);

/// The step of one update.
template <class Real>
struct Step {
  Real size{0};   ///< η_t
  Real decay{0};  ///< λ

  bool operator==(const Step&) const = default;
};

/// The warning of a step whose η_t λ is above 1.
std::string overshoot_text(double product);

/// The steps of a run, one function of t: for its training, its predictions and its digits.
struct StepSchedule {
  double step_size = 0;                                   ///< η
  NumberExpression factor = schedule_factor("constant");  ///< of step, steps and t0
  std::int64_t steps = 1;                                 ///< T
  std::int64_t warmup = 0;                                ///< n < T
  double offset = 1;                                      ///< t0
  double decay = 0;                                       ///< λ
  bool coupled = false;  ///< the gradient is that of L + λ‖W‖²/2, and W shrinks by it alone
  /// η_t/η of the first updates, if runs share them.
  std::shared_ptr<const std::vector<double>> known = {};

  /// True if η_t does not change.
  bool constant() const { return warmup == 0 && !factor.reads("step"); }

  template <class Real = double>
  Step<Real> at(std::int64_t t) const {
    const auto number = [](std::int64_t n) { return Real(static_cast<double>(n)); };
    if constexpr (std::is_same_v<Real, double>) {
      if (known && t < std::ssize(*known)) return {step_size * (*known)[t], decay};
    }
    if (t < warmup) return {step_size * Real(number(t + 1) / number(warmup)), Real(decay)};
    const Real values[] = {number(t - warmup), number(steps - warmup), Real(offset)};
    return {step_size * factor(values), Real(decay)};
  }
};

}  // namespace rarefact
