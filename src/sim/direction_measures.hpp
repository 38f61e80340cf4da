#pragma once

/// Measures of W and of directions for the training loop: whether W is finite; in the task basis ϱ (wang2025,
/// section 5.1) and the distance from a multiple of the identity (wang2025, Theorem 5.4; li2026, after
/// Proposition 6.1).
///
/// After one step from zero the logits are η times a direction, and ϱ is an infimum over step sizes η. For a
/// later W it is the infimum over factors γ that multiply W. At step 1 both agree, with step size γη, for any
/// step size of the run.

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "algebra/runs.hpp"
#include "metrics/probe.hpp"
#include "model/softmax_column.hpp"
#include "theory/one_step.hpp"

namespace rarefact {

/// The logits of W, at any scale, as input of the search for ϱ. Every query has one right answer, which for
/// columns is `own`.
template <class M>
OneStepLogits<typename M::Scalar> logits_for_rho(const M& logits, const RightAnswers& right) {
  return logits_of_direction(logits, right);
}
inline OneStepLogits<double> logits_for_rho(const ColumnMatrix& logits, const RightAnswers& = {}) {
  if (!logits.structure->two_numbers()) throw std::logic_error("columns of several right answers have no ϱ");
  return logits_of_margins<double>(logits.own - logits.other, logits.structure->answers);
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
  return {static_cast<double>(rho->infimum.value), static_cast<double>(rho->at_threshold.value),
          static_cast<double>(deficit), static_cast<double>(rho->threshold)};
}

namespace direction_detail {

/// The largest and least entries off and on the diagonal, and the mean of the diagonal.
template <class Real>
struct Extremes {
  Real off_low{0}, off_high{0}, low, high, mean{0};
  bool first = true;

  void diagonal(const Real& x, const Real& columns) {
    low = first ? x : std::min(low, x);
    high = first ? x : std::max(high, x);
    first = false;
    mean += columns * x;
  }
  void off(const Real& x) {
    off_low = std::min(off_low, x);
    off_high = std::max(off_high, x);
  }
  /// max_kl |X_kl/scale - δ_kl|
  Real deviation(const Real& scale) const {
    using std::abs;
    const Real off = std::max(Real(abs(Real(off_high / scale))), Real(abs(Real(off_low / scale))));
    const Real most = abs(Real(high / scale - Real(1))), least = abs(Real(low / scale - Real(1)));
    return std::max(off, std::max(most, least));
  }
};

template <class M>
Extremes<typename M::Scalar> extremes(const M& x) {
  using Real = typename M::Scalar;
  const Runs<M> runs(x);
  const Real* count = runs.along(Side::columns);
  Extremes<Real> found;
  Real all(0);
  for (Index c = 0; c < runs.columns(); ++c) {
    const Real columns = count ? count[c] : Real(1);
    all += columns;
    Index own = runs.diagonal(c);
    runs.for_column(
        c,
        [&](Index size, const Real*, const Real* entry) {
          for (Index k = 0; k < size; ++k) k == own ? found.diagonal(entry[k], columns) : found.off(entry[k]);
          own = -1;
        },
        x);
  }
  found.mean /= all;
  return found;
}

}  // namespace direction_detail

/// max_kl |X_kl/scale - δ_kl| for a scale, or for the mean of the diagonal; NaN if that is 0. Precondition:
/// query l has answer l.
template <class M, class Real>
double identity_deviation(const M& x, const Real& scale) {
  return static_cast<double>(direction_detail::extremes(x).deviation(scale));
}
template <class M>
double identity_deviation(const M& x) {
  const auto found = direction_detail::extremes(x);
  return static_cast<double>(found.deviation(found.mean));
}

/// Whether W, which was finite, is still finite after an update; only columns stored in the update have
/// changed.
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

}  // namespace rarefact
