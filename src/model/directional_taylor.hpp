#pragma once

/// The loss of one query along an update of its logits, S ← S - x d: slope, curvature and remainder. For
/// columns whose entries have multiplicities, in double or 50 digits; used by every memory.
///
///     L(S - x d) - L(S) = -x slope + ½x² variance + remainder
///     slope = Σ (p̂ - π) d,   variance = Var d under p̂,   remainder = ln Σ p̂ e^(-xd) + x Σ p̂ d - ½x² variance
///
/// Changes are relative to that of the entry with the largest probability, so nothing cancels if p̂ is near 1
/// or a column of 1e300 answers is uniform.

#include <limits>

#include "model/query_answers.hpp"

namespace rarefact {

/// A column of logits and of their update; entry k stands for times_k answers of probability target_k.
template <class Real>
struct UpdatedColumn {
  VectorOf<Real> logit, change, times, target;
  VectorOf<Real> p, moved;  ///< scratch

  explicit UpdatedColumn(Index size)
      : logit(size), change(size), times(size), target(size), p(size), moved(size) {}
  /// Sets π: that of the law, and α b for all other answers.
  void set_target(const QueryAnswers<Real>& law, const NoiseProbability<Real>& background) {
    if (background.per_answer.empty())
      target.setConstant(background.constant);
    else
      target = Eigen::Map<const VectorOf<Real>>(background.per_answer.data(), target.size());
    for (std::size_t i = 0; i < law.size(); ++i) target(law.at[i]) = law.target[i];
  }
};

/// The expansion of a column, or of all columns: sums weighted by p (`spread`: unweighted).
template <class Real>
struct DirectionalTaylor {
  Real slope{0}, variance{0}, remainder{0};
  Real spread{0};  ///< Σ (d - mean d)² over the answers
  Real size{0};    ///< ‖D‖²_F in the coordinates of W for a memory; 0 for a column

  /// Adds `columns` equal columns with total probability `mass`.
  void add(const DirectionalTaylor& column, const Real& columns, const Real& mass) {
    slope += mass * column.slope;
    variance += mass * column.variance;
    remainder += mass * column.remainder;
    spread += columns * column.spread;
  }
};

namespace taylor_detail {

/// e^y - 1 - y - ½y², accurate for small y.
template <class Real>
Real cubic_tail(const Real& y) {
  using std::abs, std::expm1;
  if (!(abs(y) <= Real(0.5))) return expm1(y) - y - y * y / Real(2);  // also for NaN
  Real term = y * y * y / Real(6), sum(0);
  for (int k = 4; abs(term) > abs(sum) * std::numeric_limits<Real>::epsilon() / Real(8); ++k) {
    sum += term;
    term *= y / Real(k);
  }
  return sum;
}

/// The mean Σ p cubic_tail(y), by the series up to y^16 for |y| <= ½. Requires y <= 600.
inline double mean_cubic_tail(const Vector& p, const Vector& moved) {
  const auto y = moved.array();
  Eigen::ArrayXd tail = Eigen::ArrayXd::Ones(y.size());
  for (int n = 16; n > 3; --n) tail = 1 + tail * y * (1.0 / n);
  tail *= y.cube() * (1.0 / 6);
  if (!(y.abs().maxCoeff() <= 0.5)) tail = (y.abs() <= 0.5).select(tail, y.exp() - 1 - y - y.square() * 0.5);
  return (p.array() * tail).sum();
}

/// u - ln(1 + u) for u up to ½, accurate for small u: with z = u/(2 + u) it is u z - 2(z³/3 + z⁵/5 + ...).
template <class Real>
Real log_tail(const Real& u) {
  using std::abs;
  const Real z = u / (Real(2) + u), square = z * z;
  Real power = z * square, sum(0);
  for (int k = 3; abs(power) > abs(sum) * std::numeric_limits<Real>::epsilon() / Real(8); k += 2) {
    sum += power / Real(k);
    power *= square;
  }
  return u * z - Real(2) * sum;
}

/// e^±exponent are doubles, and so are products of a few of them with numbers that are not tiny.
constexpr double exponent = 600, min_log = -708;

/// The remainder from y = x (mean d - d), whose mean is 0, and v = ½ Var y. It is ln E e^y - v, and u = E e^y
/// - 1 is v + E cubic_tail(y), so the remainder is E cubic_tail(y) - log_tail(u), in which orders cancel only
/// where they cancel in the remainder. `lowest` is the least logit minus the largest (`top`), `mass` the sum
/// of e^(logit - top).
template <class Real>
Real remainder(const VectorOf<Real>& p, const VectorOf<Real>& y, const UpdatedColumn<Real>& column,
               const Real& top, const Real& lowest, const Real& mass, const Real& v) {
  using std::exp, std::log, std::log1p;
  if constexpr (std::is_same_v<Real, double>) {
    const double highest = y.maxCoeff();
    if (highest <= 1 || (highest <= exponent && lowest >= -exponent)) {
      const double tail = mean_cubic_tail(p, y), u = v + tail;
      return u > 0.5 ? log1p(u) - v : tail - log_tail(u);
    }
  }
  const Real log_mass = log(mass);
  Real tail(0), largest(0);
  // If e^y is large, p̂ may underflow.
  const VectorOf<Real>& times = column.times;
  const auto log_share = [&](Index k) {
    return Real(log(times(k)) + (column.logit(k) - top) - log_mass + y(k));
  };
  for (Index k = 0; k < y.size(); ++k) {
    if (times(k) == Real(0)) continue;
    if (!(y(k) > Real(1))) {
      tail += p(k) * cubic_tail(Real(y(k)));
      continue;
    }
    const Real share = log_share(k);
    largest = std::max(largest, share);
    tail += exp(share) - p(k) * (Real(1) + y(k) + y(k) * y(k) / Real(2));
  }
  const Real u = v + tail;
  if (!(u > Real(0.5))) return tail - log_tail(u);
  if (!(largest > Real(exponent))) return log1p(u) - v;
  Real sum(0);
  for (Index k = 0; k < y.size(); ++k) {
    if (times(k) > Real(0)) sum += exp(Real(log_share(k) - largest));
  }
  return largest + log(sum) - v;
}

}  // namespace taylor_detail

/// Padding entries (count 0) have no effect if their logit is not the largest.
template <class Real>
DirectionalTaylor<Real> expansion_of(UpdatedColumn<Real>& column, const Real& x) {
  const auto logit = column.logit.array(), change = column.change.array(), times = column.times.array();
  auto p = column.p.array(), d = column.moved.array();
  const Real top = logit.maxCoeff(), lowest = logit.minCoeff() - top, cutoff(taylor_detail::min_log);
  // Processors are a hundred times slower with subnormal numbers.
  if (std::is_same_v<Real, double> && lowest < cutoff)
    p = (logit - top >= cutoff).select((logit - top).max(cutoff).exp() * times, Real(0));
  else
    p = (logit - top).exp() * times;
  // Relative to the update of the most likely answer, and for the spread to that of the entry with the
  // largest count.
  Index likeliest = 0, commonest = 0;
  p.maxCoeff(&likeliest);
  times.maxCoeff(&commonest);
  const Real mass = p.sum();
  p /= mass;
  d = change - change(likeliest);
  DirectionalTaylor<Real> found;
  found.slope = ((p - times * column.target.array()) * d).sum();
  d -= (p * d).sum();
  found.variance = (p * d.square()).sum();
  d *= -x;
  const auto off = change - change(commonest);
  const Real away = (times * off).sum() / times.sum();
  found.spread = (times * (off - away).square()).sum();
  found.remainder = taylor_detail::remainder(column.p, column.moved, column, top, lowest, mass,
                                             Real(x * Real(x * found.variance) / Real(2)));
  return found;
}

}  // namespace rarefact
