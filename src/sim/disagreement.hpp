#pragma once

/// The difference between two runs that should give the same numbers.

#include <cstddef>
#include <vector>

#include "rarefact/result.hpp"

namespace rarefact {

/// Smaller numbers are not compared, because they become subnormal or 0.
inline constexpr double min_certified = 1e-300;

/// At every recorded step, the largest relative difference |x - y|/|x| between certified numbers of `run` and
/// `other` (MetricTraits::certified); for metrics certified together, max |x - y| relative to the largest of
/// their probe; at the last step, also that of the total error. Infinite if only one has a number.
std::vector<double> disagreement(const Trajectory& run, const Trajectory& other, std::size_t records);

}  // namespace rarefact
