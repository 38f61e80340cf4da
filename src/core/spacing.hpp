#pragma once

/// Equally spaced numbers between ends that stay as they are, rounded to 15 digits: 0.3, not 0.30000000000000004.

#include <vector>

namespace rarefact {

/// n >= 1 numbers from a to b, both included (a alone if n = 1), with equal differences.
std::vector<double> evenly_spaced(double a, double b, double n);

/// The same with equal ratios. Precondition: a, b > 0.
std::vector<double> log_spaced(double a, double b, double n);

}  // namespace rarefact
