#include "algebra/centred_columns.hpp"

#include <cmath>

#include "algebra/padded_columns.hpp"
#include "core/real50.hpp"

namespace rarefact {

namespace {

/// Different lengths, descending, with the numbers of their columns.
template <class Real>
SingularValuesOf<Real> distinct(const std::vector<double>& count, const std::vector<Real>& length) {
  using std::abs;
  SingularValuesOf<Real> all, merged;
  all.reserve(count.size());
  merged.reserve(count.size());
  for (std::size_t i = 0; i < count.size(); ++i) all.add(abs(length[i]), count[i]);
  all = sorted(all);
  for (std::size_t i = 0; i < count.size(); ++i) {
    if (!merged.values.empty() && merged.values.back() == all.values[i]) {
      merged.multiplicities.back() += all.multiplicities[i];
    } else {
      merged.add(all.values[i], all.multiplicities[i]);
    }
  }
  return merged;
}

/// The roots between neighbouring lengths, by rational interpolation: the terms of poles above a root together are
/// replaced by c + s/(p - σ²), p the nearest pole, with the same value and slope, and so are those of poles below, which
/// converges quadratically. In units of the pole above, so that nothing overflows.
template <class Real>
VectorOf<Real> roots_between(const SingularValuesOf<Real>& lengths) {
  using std::abs, std::sqrt;
  const auto number = static_cast<Index>(lengths.values.size());
  const Real epsilon = std::numeric_limits<Real>::epsilon(), close = sqrt(epsilon) / Real(4);
  VectorOf<Real> d = VectorOf<Real>::Zero(padded(number)), part = d, is_above = d, roots(number);
  // 1/(d_k² - σ²) is scale/(square - scale σ²), where neither overflows.
  VectorOf<Real> scales = VectorOf<Real>::Ones(d.size()), squares = scales;
  Real columns(0);
  for (const double n : lengths.multiplicities) columns += Real(n);
  for (Index i = 0; i < number; ++i) {
    d(i) = lengths.values[i];
    part(i) = Real(lengths.multiplicities[i]) / columns;
  }
  for (Index i = 0; i + 1 < number; ++i) {
    is_above(i) = squares(i) = Real(1);
    const Index above_count = i + 1, below_count = d.size() - above_count;
    scales.head(above_count) = (d(i) / d.head(above_count).array()).square();
    squares.tail(below_count) = (d.tail(below_count) / d(i)).cwiseAbs2();
    Real low = squares(i + 1), high(1), square = (low + high) / Real(2);
    while (low < square && square < high) {
      Lanes<Real> values = Lanes<Real>::Zero(), slopes = values, slopes_above = values;
      for (Index k = 0; k < d.size(); k += lanes) {
        const Lanes<Real> scale = at(scales.data() + k),
                          inverse = scale / (at(squares.data() + k) - scale * square),
                          value = at(part.data() + k) * inverse, slope = value * inverse;
        values += value;
        slopes += slope;
        slopes_above += at(is_above.data() + k) * slope;
      }
      const Real value = values.sum(), slope = slopes.sum(), slope_above = slopes_above.sum(),
                 above = Real(1) - square, below = squares(i + 1) - square;
      // c x² - b x + a = 0 for the step x; in units of the largest, because squares might underflow.
      Real a = above * below * value, b = (above + below) * value - above * below * slope,
           c = value - above * slope_above - below * (slope - slope_above);
      const Real unit = std::max({Real(abs(a)), Real(abs(b)), Real(abs(c))});
      a /= unit, b /= unit, c /= unit;
      const Real root = sqrt(abs(Real(b * b - Real(4) * a * c))),
                 step = b > Real(0) ? Real(Real(2) * a / (b + root)) : Real((b - root) / (Real(2) * c)),
                 next = square + step, size = abs(step);
      (value < Real(0) ? low : high) = square;
      if (size <= std::max(Real(close * std::min(above, Real(-below))), Real(Real(8) * epsilon * square))) {
        square = std::clamp(next, low, high);
        break;
      }
      square = low < next && next < high ? next : Real((low + high) / Real(2));
    }
    roots(i) = std::max(Real(sqrt(square) * d(i)), d(i + 1));
  }
  return roots;
}

}  // namespace

template <class Real>
SingularValuesOf<Real> centred_singular_values(const std::vector<double>& count,
                                               const std::vector<Real>& length) {
  const SingularValuesOf<Real> lengths = distinct(count, length);
  const std::size_t number = lengths.values.size();
  const VectorOf<Real> roots = roots_between(lengths);
  SingularValuesOf<Real> values;
  values.reserve(2 * number);
  for (std::size_t i = 0; i < number && lengths.values[i] > Real(0); ++i) {
    const double n = lengths.multiplicities[i];
    if (n > 1) values.add(lengths.values[i], n - 1);
    if (i + 1 < number) values.add(roots(static_cast<Index>(i)), 1);
  }
  return values;
}

template SingularValuesOf<double> centred_singular_values(const std::vector<double>&,
                                                          const std::vector<double>&);
template SingularValuesOf<Real50> centred_singular_values(const std::vector<double>&,
                                                          const std::vector<Real50>&);

}  // namespace rarefact
