#pragma once

/// Spectral measures of the weight matrix and of the update (wang2025, section 4.2).

#include <limits>
#include <vector>

#include "algebra/singular_values.hpp"

namespace rarefact {

/// How many of the largest singular values `top_energy_fraction` counts.
inline constexpr double top_energy_values = 10;

/// One distinct singular value, as a part of the largest.
struct Level {
  double ratio;         ///< σ/σ_max
  double multiplicity;  ///< > 0
};

/// Nonzero singular values σ_i as their measures see them, multiplicities counted: n = Σ multiplicities,
/// q_i = σ_i²/Σσ².
///
/// * Everything is computed from σ_i/σ_max, so no σ is too small or large to square.
/// * Quantiles of σ² interpolate linearly between order statistics (position (n-1) x level, counted from 0),
///   exact for whole multiplicities of any size.
/// * n = 1 has entropy 1: a single direction is as evenly spread as it can be.
/// * No singular value at all (a zero matrix, no update yet): rank and norms are 0, the other measures NaN.
struct Levels {
  std::vector<Level> all;  ///< descending
  double largest = 0;      ///< σ_max
  double number = 0;       ///< n, multiplicities counted
  double energy = 0;       ///< Σσ²/σ_max²
  double entropy = 0;      ///< -Σ q ln q, q = σ²/Σσ²
};

/// A function of the singular values, and what it is of a matrix that has none.
struct SpectralMeasure {
  double (*of)(const Levels&);
  double of_zero = std::numeric_limits<double>::quiet_NaN();
};

/// Precondition: values positive and descending, multiplicities >= 0 of the same length.
Levels levels_of(const SingularValues& singular_values);

/// max_i |(σ_i/size)² - 1| over the nonzero singular values: 0 for `size` times a partial isometry. NaN if
/// there are none. The same preconditions, and size > 0.
double orthogonality_residual(const SingularValues& singular_values, double size);

}  // namespace rarefact
