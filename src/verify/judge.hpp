#pragma once

/// The rules by which a number is judged. Each returns a finding with verdict and the numbers that led there;
/// not-a-number never passes. Exponents are fitted by theory/power_fit.hpp, whose errors are errors of the
/// program here: a check hands over at least three points, x positive. y that are not positive and finite are
/// what a wrong rule measures: fails.
///
/// Where numbers differ from seed to seed and claims are asymptotic, exponents are evidence, never a pass; what
/// a sound program cannot miss at the sizes of the runs is judged.

#include <string>
#include <vector>

#include "theory/power_fit.hpp"
#include "verify/check_row.hpp"

namespace rarefact::judge {

/// measured <= bound (published): holds, else fails.
Finding at_most(std::string quantity, double measured, double bound);
Finding at_least(std::string quantity, double measured, double bound);

/// A claim with an O(.): the positive ratio measured/claimed is bounded over the range of x. It counts as
/// growing, and the claim fails, where over the upper half of the range (in ln x) its fitted exponent is
/// above `max_growth` and its interval is above 0, or every local slope above `max_growth`. The finding's
/// number is the greatest ratio; `rule` states range, least, greatest and trend. With a `sharp` limit: sharp
/// where the last ratio is within `tolerance` of it.
Finding bounded(std::string quantity, const Points& ratio, double max_growth = 0.01,
                std::optional<double> sharp = {}, double tolerance = 0.01);

/// The mean of independent numbers, one a seed, with its 95 % interval (Student t, n - 1 degrees of freedom), as
/// evidence. Infinite ends for one number; std::invalid_argument for none.
Finding seed_mean(std::string quantity, const std::vector<double>& numbers);

/// The mean of independent numbers, one a seed, is a number that is known: sharp where its 95 % interval has
/// `sharp` in it; holds where it meets `sharp` ± `tolerance`, which is what a finite size leaves; else fails.
/// Inconclusive where the interval is wider than `widest`: it would meet anything.
Finding seed_mean_equals(std::string quantity, const std::vector<double>& numbers, double sharp,
                         double tolerance, double widest);

/// What a sound program cannot miss at the sizes of the runs: the interval of an exponent lies above or below
/// a bound, holds, else fails. Inconclusive where `exponent` is.
Finding interval_above(std::string quantity, const Finding& exponent, double bound);
Finding interval_below(std::string quantity, const Finding& exponent, double bound);
/// The same of two exponents: the interval of `larger` lies above that of `smaller`. The finding's number is
/// the distance of the intervals.
Finding intervals_apart(std::string quantity, const Finding& larger, const Finding& smaller);

}  // namespace rarefact::judge
