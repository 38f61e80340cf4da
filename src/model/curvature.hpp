#pragma once

/// The loss of one query along an update of its logits, S ← S - x d: slope, curvature and remainder. For
/// columns whose entries have multiplicities, in double or 50 digits; used by every memory.
///
///     L(S - x d) - L(S) = -x slope + ½x² variance + remainder
///     slope = Σ (p̂ - π) d,   variance = Var d under p̂,   remainder = ln Σ p̂ e^(-xd) + x Σ p̂ d - ½x² variance
///
/// Changes are relative to that of the entry with the largest probability, so nothing cancels if p̂ is near 1
/// or a column of 1e300 answers is uniform.

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "core/types.hpp"
#include "model/query_answers.hpp"

namespace rarefact {

/// The number of entries of a column that are computed at a time.
template <class Real>
inline constexpr Index lanes = std::is_same_v<Real, double> ? 8 : 1;
template <class Real>
using Lanes = Eigen::Array<Real, lanes<Real>, 1>;

/// A column of logits and of their update, each entry for `times` answers of probability `target` each. The
/// object can be reused for further columns.
template <class Real>
class UpdatedColumn {
 public:
  explicit UpdatedColumn(Index size = 0) { resize(size); }
  /// Returns whether the size changes; then all entries are reset.
  bool resize(Index size) {
    if (size == size_) return false;
    size_ = size;
    const Index whole = (size + lanes<Real> - 1) / lanes<Real> * lanes<Real>;
    for (VectorOf<Real>* each : {&logit_, &change_, &times_, &target_, &p, &moved})
      *each = VectorOf<Real>::Zero(whole);
    return true;
  }
  auto logit() { return logit_.head(size_); }
  auto change() { return change_.head(size_); }
  auto times() { return times_.head(size_); }
  auto target() { return target_.head(size_); }
  /// Sets α b for a range of answers.
  void set_background(Index first, Index size, const NoiseProbability<Real>& background) {
    auto stretch = target_.segment(first, size);
    if (background.each.empty())
      stretch.setConstant(background.constant);
    else
      stretch = Eigen::Map<const VectorOf<Real>>(background.each.data(), size);
  }
  /// Call after set_background; the law's first entry is at `first`.
  void set_answers(const QueryAnswers<Real>& law, Index first = 0) {
    for (std::size_t i = 0; i < law.size(); ++i) target_(first + law.at[i]) = law.target[i];
  }

  /// The entries, padded to a multiple of the lanes.
  struct Whole {
    const VectorOf<Real>&logit, &change, &times, &target;
  };
  Whole whole() {
    const Index beyond = logit_.size() - size_;
    logit_.tail(beyond).setConstant(logit_(0));
    change_.tail(beyond).setConstant(change_(0));
    return {logit_, change_, times_, target_};
  }

  VectorOf<Real> p, moved;  ///< scratch

 private:
  Index size_ = -1;
  VectorOf<Real> logit_, change_, times_, target_;
};

/// The expansion of one column, or of all: sums weighted by p, `spread` by 1.
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

/// The mean Σ p cubic_tail(y), by the series up to y^16 for |y| <= ½. Requires y <= 600.
inline double mean_cubic_tail(const Vector& p, const Vector& y) {
  Lanes<double> sum = Lanes<double>::Zero();
  const auto add = [&]<int size>(Index k, std::integral_constant<int, size>) {
    using Some = Eigen::Array<double, size, 1>;
    const Some at = y.segment<size>(k), square = at * at;
    Some tail = Some::Ones();
    for (int n = 16; n > 3; --n) tail = 1 + tail * at * (1.0 / n);
    tail *= square * at * (1.0 / 6);
    if (!(at.abs().maxCoeff() <= 0.5)) {
      const Some plain = at.exp() - 1 - at - square * 0.5;
      tail = (at.abs() <= 0.5).select(tail, plain);
    }
    const Some product = p.segment<size>(k).array() * tail;
    for (int from = 0; from < size; from += lanes<double>)
      sum += product.template segment<lanes<double>>(from);
  };
  // Terms of the series depend on one another, so two series are interleaved.
  constexpr int one = lanes<double>, two = 2 * one;
  Index k = 0;
  for (; k + two <= y.size(); k += two) add(k, std::integral_constant<int, two>());
  if (k < y.size()) add(k, std::integral_constant<int, one>());
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

/// e^±exponent are doubles, as are products of a few of them with numbers that are not tiny.
constexpr double exponent = 600, least_log = -708;

/// The remainder from y = x (mean d - d), whose mean is 0, and v = ½ Var y. It is ln E e^y - v, and E e^y - 1
/// is u = v + E cubic_tail(y): in E cubic_tail(y) - log_tail(u) orders cancel only where they cancel in the
/// remainder. `lowest`: of the logits less the largest, `top`; the sum of e^(logit - top) is `mass`.
template <class Real>
Real remainder(const VectorOf<Real>& p, const VectorOf<Real>& y,
               const typename UpdatedColumn<Real>::Whole& column, const Real& top, const Real& lowest,
               const Real& mass, const Real& v) {
  using std::exp, std::log, std::log1p;
  if constexpr (std::is_same_v<Real, double>) {
    const double most = y.maxCoeff();
    if (most <= 1 || (most <= exponent && lowest >= -exponent)) {
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

/// The first index with the largest entry, whose value is `largest`.
template <class Real>
Index place_of(const Real& largest, const VectorOf<Real>& x) {
  Index k = 0;
  while (k + 1 < x.size() && !(x(k) == largest)) ++k;
  return k;
}

/// e^x, and 0 where it would be subnormal, because processors are a hundred times slower with subnormal
/// numbers. `deep`: such x occur.
template <class Real>
Lanes<Real> exponentials(const Lanes<Real>& x, bool deep) {
  if constexpr (std::is_same_v<Real, double>) {
    // Eigen does not vectorise select.
    if (deep) return (x >= least_log).select(x.max(least_log).exp(), 0);
  }
  return x.exp();
}

}  // namespace curvature_detail

/// Padding entries (count 0) have no effect if their logit is not the largest.
template <class Real>
DirectionalTaylor<Real> expansion_of(UpdatedColumn<Real>& column, const Real& x) {
  const auto whole = column.whole();
  const auto& [logit, change, times, target] = whole;
  VectorOf<Real>&p = column.p, &d = column.moved;
  const Index size = logit.size();
  const auto at = [](auto& v, Index k) { return v.template segment<lanes<Real>>(k).array(); };
  const Real top = logit.maxCoeff(), lowest = logit.minCoeff() - top;
  const bool deep = lowest < Real(curvature_detail::least_log);
  Lanes<Real> masses = Lanes<Real>::Zero(), counts = masses, likely = masses, common = masses;
  for (Index k = 0; k < size; k += lanes<Real>) {
    const Lanes<Real> mass = curvature_detail::exponentials<Real>(at(logit, k) - top, deep) * at(times, k);
    at(p, k) = mass;
    masses += mass;
    counts += at(times, k);
    likely = likely.max(mass);
    common = common.max(at(times, k));
  }
  const Real mass = masses.sum(), count = counts.sum();
  // Changes are relative to that of the most likely answer, and for the spread to that of the entry with the
  // largest count.
  const Real of_likeliest = change(curvature_detail::place_of<Real>(likely.maxCoeff(), p)),
             of_commonest = change(curvature_detail::place_of<Real>(common.maxCoeff(), times));
  Lanes<Real> slopes = Lanes<Real>::Zero(), means = slopes, sums = slopes;
  for (Index k = 0; k < size; k += lanes<Real>) {
    const Lanes<Real> share = at(p, k) / mass, moved = at(change, k) - of_likeliest;
    at(p, k) = share;
    at(d, k) = moved;
    slopes += (share - at(times, k) * at(target, k)) * moved;
    means += share * moved;
    sums += at(times, k) * (at(change, k) - of_commonest);
  }
  const Real mean = means.sum(), away = sums.sum() / count;
  Lanes<Real> variances = Lanes<Real>::Zero(), spreads = variances;
  for (Index k = 0; k < size; k += lanes<Real>) {
    const Lanes<Real> moved = at(d, k) - mean;
    variances += at(p, k) * moved.square();
    at(d, k) = -x * moved;
    spreads += at(times, k) * (at(change, k) - of_commonest - away).square();
  }
  DirectionalTaylor<Real> found;
  found.slope = slopes.sum();
  found.variance = variances.sum();
  found.spread = spreads.sum();
  found.remainder = curvature_detail::remainder(p, d, whole, top, lowest, mass,
                                                Real(x * Real(x * found.variance) / Real(2)));
  return found;
}

}  // namespace rarefact
