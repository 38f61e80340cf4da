#pragma once

/// The rules by which numbers are judged. Each returns a finding with its verdict and the numbers that led there;
/// NaN never passes.

#include <vector>

#include "verify/check_row.hpp"

namespace rarefact::judge {

/// measured <= bound, or >=: holds, else fails.
Finding compared(double measured, double bound, bool at_most);

/// A claim with an O(.): the positive ratio measured/claimed is bounded over the range of x, of which there are at least three. It
/// counts as growing, and the claim fails, where over the upper half of the range (in ln x) its fitted exponent is
/// above `max_growth` and its interval is above 0, or every local slope above `max_growth`. The finding's
/// number is the greatest ratio; `rule` states range, least, greatest and trend. With a `sharp` limit: sharp
/// where the last ratio is within `tolerance` of it. Fails where a ratio is not positive and finite.
Finding bounded(const Points& ratio, double max_growth = 0.01, std::optional<double> sharp = {},
                double tolerance = 0.01);

/// The mean of independent numbers, one a seed, with its 95 % interval (Student t, n - 1 degrees of freedom), as
/// evidence. Infinite ends for one number; std::invalid_argument for none.
Finding seed_mean(const std::vector<double>& numbers);

/// The mean of independent numbers, one a seed, is a number that is known: sharp where its 95 % interval has
/// `sharp` in it; holds where it meets `sharp` ± `tolerance`, which is what a finite size leaves; else fails.
/// Inconclusive where the interval is wider than `widest`: it would meet anything.
Finding seed_mean_equals(const std::vector<double>& numbers, double sharp, double tolerance, double widest);

/// The interval of `measured` lies above that of `bound`, or below: holds, else fails. The finding's number is their distance.
Finding apart(const Finding& measured, const Finding& bound, bool above);
/// A number as an interval.
Finding exactly(double number);

}  // namespace rarefact::judge
