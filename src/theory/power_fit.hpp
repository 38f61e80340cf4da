#pragma once

/// Exponents fitted to points: a least-squares line with a Student t interval.
///
/// Every function throws std::invalid_argument for fewer than 3 points, x and y of unequal length, numbers
/// that are not finite, x not strictly ascending, a level outside (0, 1), and, where logarithms are taken,
/// numbers that are not positive.

#include <vector>

namespace rarefact {

/// y ≈ intercept + slope x.
struct LineFit {
  double slope = 0;
  double slope_low = 0,
         slope_high = 0;  ///< interval of the slope at the level given, n - 2 degrees of freedom
  std::vector<double> local_slopes = {};  ///< between neighbouring points, n - 1 of them
};

/// The least-squares line. The interval is exact for independent normal errors of equal variance. For a curve
/// without noise it only measures the deviation of the points from a line; see the local slopes, too.
LineFit fit_line(const std::vector<double>& x, const std::vector<double>& y, double level = 0.95);

/// ln y ≈ intercept + slope ln x: the slope is the exponent of y ∝ x^slope.
LineFit fit_power(const std::vector<double>& x, const std::vector<double>& y, double level = 0.95);

}  // namespace rarefact
