#pragma once

/// Exponents from points: a straight line by least squares, with a Student t interval, and what a claim with
/// an O(.) needs: is a ratio bounded over the range? Real is double or
/// Real50.
///
/// Every function throws std::invalid_argument, saying what is wrong, for fewer than 3 points, x and y of
/// unequal number, numbers that are not finite, x not strictly ascending, a level outside (0, 1), and, where
/// logarithms are taken, numbers that are not positive.

#include <vector>

namespace rarefact {

/// y ≈ intercept + slope x.
template <class Real>
struct LineFit {
  Real slope, intercept;
  Real slope_low, slope_high;      ///< interval of the slope at the level given, n - 2 degrees of freedom
  std::vector<Real> local_slopes;  ///< between neighbouring points, n - 1 of them
  Real largest_residual;           ///< max |y - intercept - slope x|
};

/// The least squares line. The quantile is a double also where Real is not. The interval is exact for
/// independent normal errors of one variance. On a curve without noise it measures only how far the points
/// are from a line: read the local slopes with it.
template <class Real>
LineFit<Real> fit_line(const std::vector<Real>& x, const std::vector<Real>& y, double level = 0.95);

/// ln y ≈ intercept + slope ln x: the slope is the exponent of y ∝ x^slope.
template <class Real>
LineFit<Real> fit_power(const std::vector<Real>& x, const std::vector<Real>& y, double level = 0.95);

/// How a positive ratio measured/claimed behaves over a range of x.
template <class Real>
struct Boundedness {
  Real least, greatest;
  Real spread;          ///< greatest/least: 1 for a ratio that is constant
  LineFit<Real> trend;  ///< exponent of the ratio in x: an interval above 0 says that it grows without bound
};

template <class Real>
Boundedness<Real> boundedness(const std::vector<Real>& x, const std::vector<Real>& ratio,
                              double level = 0.95);

}  // namespace rarefact
