#pragma once

/// How far apart two runs are that should show the same numbers.

#include <cstddef>
#include <vector>

#include "rarefact/result.hpp"

namespace rarefact {

/// Smaller numbers are not compared: they fade into subnormal ones and 0.
inline constexpr double min_certified = 1e-300;

/// At every recorded step the largest relative difference |x - y|/|x| of the numbers of `run` and `other` that are certified
/// (MetricTraits::certified) and that both have; of those beside one another max |x - y| by the largest of their probe at the
/// step; and at the last one that of the total error. Infinite where only one of the two has a number.
std::vector<double> disagreement(const Trajectory& run, const Trajectory& other, std::size_t records);

}  // namespace rarefact
