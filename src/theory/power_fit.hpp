#pragma once

/// Exponents fitted to points: a least-squares line with a Student t interval. Preconditions: at least 3
/// points, finite, x strictly ascending and, where logarithms are taken, positive.

#include <vector>

namespace rarefact {

/// y ≈ intercept + slope x.
struct LineFit {
  double slope = 0;
  double slope_low = 0, slope_high = 0;   ///< 95 % interval of the slope, n - 2 degrees of freedom
  std::vector<double> local_slopes = {};  ///< between neighbouring points, n - 1 of them
};

/// The least-squares line. The interval is exact for independent normal errors of equal variance. For a curve
/// without noise it only measures the deviation of the points from a line; see the local slopes, too.
LineFit fit_line(const std::vector<double>& x, const std::vector<double>& y);

/// ln y ≈ intercept + slope ln x: the slope is the exponent of y ∝ x^slope.
LineFit fit_power(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace rarefact
