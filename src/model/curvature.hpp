#pragma once

/// The loss of one query along an update of its logits, S ← S - x d: the slope, the curvature and what is beyond them.
/// Written for columns whose entries have multiplicities, in doubles or 50 digits; every memory has its columns from here.
///
///     L(S - x d) - L(S) = -x slope + ½x² variance + remainder
///     slope = Σ (p̂ - π) d,   variance = Var d under p̂,   remainder = ln Σ p̂ e^(-xd) + x Σ p̂ d - ½x² variance
///
/// Changes count from that of the entry with the largest probability, so nothing cancels where p̂ is near 1, nor
/// where a column of 1e300 answers is uniform.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/types.hpp"

namespace rarefact {

/// A column of logits and of what the update is in logits, each entry for `times` answers of probability `target` each.
template <class Real>
struct UpdatedColumn {
  VectorOf<Real> logit, change, times, target;

  explicit UpdatedColumn(Index size) : logit(size), change(size), times(size), target(size) {}
  /// Of a query's law; `background` as there.
  template <class Law, class Background>
  void set_target(const Law& law, const Background& background) {
    for (Index k = 0; k < target.size(); ++k) target(k) = background(k);
    for (std::size_t i = 0; i < law.size(); ++i) target(law.at[i]) = law.target[i];
  }
};

/// Of one column, or of all: weighted by p, the spread by 1.
template <class Real>
struct Expansion {
  Real slope{0}, variance{0}, remainder{0};
  Real spread{0};  ///< Σ (d - mean d)² over the answers

  /// So many columns, and their probability together.
  void add(const Expansion& column, const Real& columns, const Real& mass) {
    slope += mass * column.slope;
    variance += mass * column.variance;
    remainder += mass * column.remainder;
    spread += columns * column.spread;
  }
};

namespace curvature_detail {

/// e^y - 1 - y - ½y², accurate for small y.
template <class Real>
Real cubic_tail(const Real& y) {
  using std::abs, std::expm1;
  if (!(abs(y) <= Real(0.5))) return expm1(y) - y - y * y / Real(2);  // also for not-a-number
  Real term = y * y * y / Real(6), sum(0);
  for (int k = 4; abs(term) > abs(sum) * std::numeric_limits<Real>::epsilon() / Real(8); ++k) {
    sum += term;
    term *= y / Real(k);
  }
  return sum;
}

/// E of the same, for |y| <= ½: the series up to y^16, many entries at a time.
inline double mean_cubic_tail(const Vector& p, const Vector& y) {
  Eigen::ArrayXd series = Eigen::ArrayXd::Ones(y.size());
  for (int k = 16; k > 3; --k) series = 1 + series * y.array() * (1.0 / k);
  return (p.array() * y.array().cube() * series).sum() / 6;
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

/// The remainder from y = x (mean d - d), whose mean is 0, and v = ½ Var y. It is ln E e^y - v, and E e^y - 1 is
/// u = v + E cubic_tail(y): in E cubic_tail(y) - log_tail(u) orders cancel only where they do in the remainder.
/// `log_p`: ln p̂ of one answer of an entry.
template <class Real>
Real remainder(const VectorOf<Real>& p, const VectorOf<Real>& y, const VectorOf<Real>& times,
               const VectorOf<Real>& log_p, const Real& v) {
  using std::exp, std::log, std::log1p;
  if constexpr (std::is_same_v<Real, double>) {
    if (y.cwiseAbs().maxCoeff() <= 0.5) {
      const double tail = mean_cubic_tail(p, y);
      return tail - log_tail(v + tail);
    }
  }
  const Real huge(600);  // e^huge is a double
  Real tail(0), top(0);
  // Where e^y is large p̂ may be too small for a double.
  const auto log_share = [&](Index k) { return Real(log(times(k)) + log_p(k) + y(k)); };
  for (Index k = 0; k < y.size(); ++k) {
    if (times(k) == Real(0)) continue;
    if (!(y(k) > Real(1))) {
      tail += p(k) * cubic_tail(Real(y(k)));
      continue;
    }
    const Real share = log_share(k);
    top = std::max(top, share);
    tail += exp(share) - p(k) * (Real(1) + y(k) + y(k) * y(k) / Real(2));
  }
  const Real u = v + tail;
  if (!(u > Real(0.5))) return tail - log_tail(u);
  if (!(top > huge)) return log1p(u) - v;
  Real sum(0);
  for (Index k = 0; k < y.size(); ++k) {
    if (times(k) > Real(0)) sum += exp(Real(log_share(k) - top));
  }
  return top + log(sum) - v;
}

}  // namespace curvature_detail

/// Entries that stand for no answer count nowhere, if their logit is not the largest.
template <class Real>
Expansion<Real> expansion_of(const UpdatedColumn<Real>& column, const Real& x) {
  using std::log;
  const VectorOf<Real>&times = column.times, &change = column.change;
  Index heaviest = 0, most = 0;
  const VectorOf<Real> below = column.logit.array() - column.logit.maxCoeff();
  VectorOf<Real> p = times.array() * below.array().exp();
  p.maxCoeff(&heaviest);
  times.maxCoeff(&most);
  const Real mass = p.sum();
  p /= mass;
  VectorOf<Real> d = change.array() - change(heaviest);
  Expansion<Real> found;
  found.slope = (p - times.cwiseProduct(column.target)).dot(d);
  d.array() -= p.dot(d);
  found.variance = p.dot(d.cwiseAbs2());
  const Real v = x * x * found.variance / Real(2);
  found.remainder = curvature_detail::remainder<Real>(p, -x * d, times, below.array() - log(mass), v);
  d = change.array() - change(most);
  d.array() -= times.dot(d) / times.sum();
  found.spread = times.dot(d.cwiseAbs2());
  return found;
}

}  // namespace rarefact
