#pragma once

/// Measures of W and of directions for the training loop: whether W is finite; in the task basis ϱ (wang2025,
/// section 5.1) and the distance from a multiple of the identity (wang2025, Theorem 5.4; li2026, after
/// Proposition 6.1).
///
/// After one step from zero the logits are η times a direction, and ϱ is an infimum over step sizes η. For a
/// later W it is the infimum over factors γ that multiply W. At step 1 both agree, with step size γη, for any
/// step size of the run.

#include <stdexcept>

#include "algebra/operations.hpp"
#include "algebra/runs.hpp"
#include "metrics/probe.hpp"
#include "model/softmax_column.hpp"
#include "theory/one_step.hpp"

namespace rarefact {

/// The logits of W, at any scale, for the search for ϱ. Every query has one right answer (columns: `right`).
template <class M>
OneStepLogits<ScalarOf<M>> logits_for_rho(const M& logits, const RightAnswers& right) {
  return logits_of_direction(logits, right);
}
inline OneStepLogits<double> logits_for_rho(const ColumnMatrix& logits, const RightAnswers& = {}) {
  if (!logits.structure->two_numbers()) throw std::logic_error("columns of several right answers have no ϱ");
  return logits_of_margins<double>(logits.right - logits.wrong, logits.structure->answers);
}

/// ϱ at the threshold and as defined; NaN if no scale within doubles retrieves any class. 0 < ε < ½.
template <class Real>
RhoMeasures measure_rho(OneStepLogits<Real> logits, double epsilon) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const Real largest = logits.margin.maxCoeff();
  if (!(largest > Real(0))) return {nan, nan, nan, nan};
  // A class that ties up to rounding is not lost: its probability does not change for large multiples of W.
  for (Real& margin : logits.margin)
    if (margin < Real(0)) margin = untied(margin, largest);
  std::optional<OneStepRho<Real>> rho;
  try {
    rho = one_step_rho<Real>(logits, Real(epsilon));
  } catch (const std::domain_error&) {
    // For logits near 1e308 or 1e-308 even the margins overflow or underflow.
  }
  if (!rho) return {nan, nan, nan, nan};
  const Real deficit = rho->at_threshold.complement / Real(epsilon) - Real(1);
  return {static_cast<double>(rho->infimum), static_cast<double>(rho->at_threshold.value),
          static_cast<double>(deficit), static_cast<double>(rho->threshold)};
}

/// The identity in the shape of X.
template <class M>
M identity_like(const M& x) {
  using Real = ScalarOf<M>;
  M identity = mapped(x, [](const Real&) { return Real(0); });
  for_runs(identity, [](Index, Index place, Index, const Real*, Real* at) {
    if (place >= 0) at[place] = Real(1);
  });
  return identity;
}

/// max_kl |X_kl/scale - δ_kl|, scale as given or the mean of the diagonal; NaN if that is 0. Precondition:
/// query l has answer l.
template <class M>
double identity_deviation(const M& x, std::optional<ScalarOf<M>> scale) {
  using Real = ScalarOf<M>;
  if (!scale) scale = trace(x) / trace(identity_like(x));
  M off = mapped(x, [&scale](const Real& entry) { return Real(entry / *scale); });
  combine(off, Real(1), Real(-1), identity_like(x));
  return static_cast<double>(aggregate(off, Aggregate::largest));
}

/// True if W, which was finite, is still finite after an update; only columns stored in the update have
/// changed.
template <class M>
bool still_finite(const M& w, const M&) {
  return all_finite(w);
}
inline bool still_finite(const ColumnMatrix& w, const ColumnMatrix& update) {
  if (!update.stored_groups) return all_finite(w);
  return std::all_of(update.stored_groups->begin(), update.stored_groups->end(),
                     [&](Index l) { return std::isfinite(w.right(l)) && std::isfinite(w.wrong(l)); });
}

inline bool all_finite(const Observation& seen) {
  const auto finite = [](double x) { return std::isfinite(x); };
  return std::all_of(seen.error.begin(), seen.error.end(), finite) &&
         std::all_of(seen.excess_loss.begin(), seen.excess_loss.end(), finite);
}

}  // namespace rarefact
