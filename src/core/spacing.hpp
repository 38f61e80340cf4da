#pragma once

/// Equally spaced numbers, rounded to 15 digits, so that steps of 0.1 give 0.3 and not 0.30000000000000004,
/// and powers of ten are round. The ends are not rounded.

#include <vector>

namespace rarefact {

/// n >= 1 numbers from a to b, both included (a alone if n = 1), with equal differences.
std::vector<double> evenly_spaced(double a, double b, double n);

/// The same with equal ratios. Precondition: a, b > 0.
std::vector<double> log_spaced(double a, double b, double n);

}  // namespace rarefact
