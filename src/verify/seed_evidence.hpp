#pragma once

/// Rules for numbers that differ from seed to seed, and for claims that are asymptotic: their exponents are
/// evidence, never a pass; what a sound program cannot miss at the sizes of the runs is judged.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "verify/finding.hpp"

namespace rarefact::judge {

/// A number of every seed over an abscissa: seed -> x -> y.
using SeedCurves = std::map<std::int64_t, std::map<double, double>>;

/// Mean of independent numbers, one a seed, with its 95 % interval (Student t, n - 1 degrees of freedom).
/// Infinite ends for one number; std::invalid_argument for none.
struct SeedMean {
  double mean = 0, low = 0, high = 0;
};
SeedMean seed_mean(const std::vector<double>& numbers);

/// y ∝ x^exponent, where what is claimed is asymptotic and the range is finite: evidence, whatever is
/// measured. The finding's number is the mean of one fitted slope a seed, its interval that of seed_mean.
/// `published` is text; `rule` says whether the interval contains `claimed`, and the local slopes of the mean
/// over seeds. inconclusive with fewer than two seeds or three points; y that are not positive fail.
Finding evidence_of_exponent(std::string quantity, const SeedCurves& curves, double claimed,
                             std::string published);

/// What a sound program cannot miss at the sizes of the runs: the interval of an exponent lies above or below
/// a bound, holds, else fails. Inconclusive where `exponent` is.
Finding interval_above(std::string quantity, const Finding& exponent, double bound);
Finding interval_below(std::string quantity, const Finding& exponent, double bound);
/// The same of two exponents: the interval of `larger` lies above that of `smaller`. The finding's number is
/// the distance of the intervals.
Finding intervals_apart(std::string quantity, const Finding& larger, const Finding& smaller);

}  // namespace rarefact::judge
