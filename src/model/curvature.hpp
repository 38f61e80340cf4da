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
#include <utility>

#include "core/types.hpp"
#include "model/query_answers.hpp"

namespace rarefact {

/// A column of logits and of what the update is in logits, each entry for `times` answers of probability `target` each.
/// One column after another may be put into the same one.
template <class Real>
struct UpdatedColumn {
  VectorOf<Real> logit, change, times, target;
  VectorOf<Real> below = {}, p = {}, moved = {};  ///< room to compute in

  explicit UpdatedColumn(Index size = 0) { resize(size); }
  void resize(Index size) {
    for (VectorOf<Real>* each : {&logit, &change, &times, &target, &below, &p, &moved}) each->resize(size);
  }
  /// α b of the answers of a stretch.
  void set_background(Index first, Index size, const Background<Real>& background) {
    auto stretch = target.segment(first, size);
    if (background.each.empty())
      stretch.setConstant(background.constant);
    else
      stretch = Eigen::Map<const VectorOf<Real>>(background.each.data(), size);
  }
  /// After the background.
  void set_answers(const QueryAnswers<Real>& law) {
    for (std::size_t i = 0; i < law.size(); ++i) target(law.at[i]) = law.target[i];
  }
};

/// Of one column, or of all: weighted by p, spread and size by 1.
template <class Real>
struct Expansion {
  Real slope{0}, variance{0}, remainder{0};
  Real spread{0};  ///< Σ (d - mean d)² over the answers
  Real size{0};    ///< Σ d² of all; of a memory ‖D‖²_F in the coordinates of W

  /// So many columns, and their probability together.
  void add(const Expansion& column, const Real& columns, const Real& mass) {
    slope += mass * column.slope;
    variance += mass * column.variance;
    remainder += mass * column.remainder;
    spread += columns * column.spread;
    size += columns * column.size;
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

/// E of the same, eight entries at a time: the series up to y^16 for |y| <= ½. For y up to 600.
inline double mean_cubic_tail(const Vector& p, const Vector& y) {
  using Lanes = Eigen::Array<double, 8, 1>;
  Lanes sum = Lanes::Zero();
  const auto add = [&](const Lanes& of, const Lanes& at) {
    const Lanes square = at * at;
    Lanes tail = Lanes::Ones();
    for (int k = 16; k > 3; --k) tail = 1 + tail * at * (1.0 / k);
    tail *= square * at * (1.0 / 6);
    if (!(at.abs().maxCoeff() <= 0.5)) {
      const Lanes plain = at.exp() - 1 - at - square * 0.5;
      tail = (at.abs() <= 0.5).select(tail, plain);
    }
    sum += of * tail;
  };
  const Index whole = y.size() / 8 * 8, rest = y.size() - whole;
  for (Index k = 0; k < whole; k += 8) add(p.segment<8>(k), y.segment<8>(k));
  if (rest > 0) {
    Lanes of = Lanes::Zero(), at = Lanes::Zero();
    of.head(rest) = p.tail(rest);
    at.head(rest) = y.tail(rest);
    add(of, at);
  }
  return sum.sum();
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

/// e^±exponent are doubles, and products of a few with what is not tiny.
constexpr double exponent = 600, least_log = -708;

/// The remainder from y = x (mean d - d), whose mean is 0, and v = ½ Var y. It is ln E e^y - v, and E e^y - 1 is
/// u = v + E cubic_tail(y): in E cubic_tail(y) - log_tail(u) orders cancel only where they do in the remainder.
/// `below`: logits less the largest; the sum of e^below is `mass`.
template <class Real>
Real remainder(const VectorOf<Real>& p, const VectorOf<Real>& y, const VectorOf<Real>& times,
               const VectorOf<Real>& below, const Real& mass, const Real& v) {
  using std::exp, std::log, std::log1p;
  if constexpr (std::is_same_v<Real, double>) {
    const double most = y.maxCoeff();
    if (most <= 1 || (most <= exponent && below.minCoeff() >= -exponent)) {
      const double tail = mean_cubic_tail(p, y), u = v + tail;
      return u > 0.5 ? log1p(u) - v : tail - log_tail(u);
    }
  }
  const Real log_mass = log(mass);
  Real tail(0), top(0);
  // Where e^y is large p̂ may be too small for a double.
  const auto log_share = [&](Index k) { return Real(log(times(k)) + below(k) - log_mass + y(k)); };
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
  if (!(top > Real(exponent))) return log1p(u) - v;
  Real sum(0);
  for (Index k = 0; k < y.size(); ++k) {
    if (times(k) > Real(0)) sum += exp(Real(log_share(k) - top));
  }
  return top + log(sum) - v;
}

/// Of each of the two, of equal length.
template <class Real>
std::pair<Index, Index> places_of_largest(const VectorOf<Real>& x, const VectorOf<Real>& y) {
  Index in_x = 0, in_y = 0;
  for (Index k = 1; k < x.size(); ++k) {
    if (x(k) > x(in_x)) in_x = k;
    if (y(k) > y(in_y)) in_y = k;
  }
  return {in_x, in_y};
}

/// e^x; 0 where a double would be subnormal, with which processors are a hundred times slower. A select is not done
/// many entries at a time.
inline void exponentials(const Vector& x, Vector& result) {
  result = x.array().cwiseMax(least_log).exp();
  if (x.minCoeff() < least_log) result = (x.array() >= least_log).select(result, 0);
}
template <class Real>
void exponentials(const VectorOf<Real>& x, VectorOf<Real>& result) {
  result = x.array().exp();
}

}  // namespace curvature_detail

/// Entries that stand for no answer count nowhere, if their logit is not the largest.
template <class Real>
Expansion<Real> expansion_of(UpdatedColumn<Real>& column, const Real& x) {
  const VectorOf<Real>&times = column.times, &change = column.change;
  VectorOf<Real>&below = column.below, &p = column.p, &d = column.moved;
  below = column.logit.array() - column.logit.maxCoeff();
  curvature_detail::exponentials(below, p);
  p.array() *= times.array();
  const Real mass = p.sum();
  p /= mass;
  const auto [likeliest, commonest] = curvature_detail::places_of_largest(p, times);
  d = change.array() - change(likeliest);
  Expansion<Real> found;
  found.slope = (p - times.cwiseProduct(column.target)).dot(d);
  d.array() -= p.dot(d);
  found.variance = p.dot(d.cwiseAbs2());
  d *= -x;
  found.remainder =
      curvature_detail::remainder(p, d, times, below, mass, Real(x * x * found.variance / Real(2)));
  d = change.array() - change(commonest);
  d.array() -= times.dot(d) / times.sum();
  found.spread = times.dot(d.cwiseAbs2());
  found.size = times.dot(change.cwiseAbs2());
  return found;
}

}  // namespace rarefact
