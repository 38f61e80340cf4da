#pragma once

/// Measures of how evenly singular values are spread (wang2025, section 4.2).

#include <limits>

#include "algebra/singular_values.hpp"

namespace rarefact {

/// How many of the largest singular values `top_energy_fraction` counts.
inline constexpr double top_energy_values = 10;

/// One distinct singular value, as a part of the largest.
struct Level {
  double ratio;         ///< σ/σ_max
  double multiplicity;  ///< > 0
};

/// Nonzero singular values σ_i with multiplicities: n = Σ multiplicities, q_i = σ_i²/Σσ².
///
/// * Everything is computed from σ_i/σ_max, so no σ is too small or large to square.
/// * Quantiles of σ² interpolate linearly between order statistics (position (n-1) x level, counted from 0),
///   exact for whole multiplicities of any size.
/// * n = 1 has entropy 1: a single direction is as evenly spread as it can be. It has no σ_2.
/// * No singular value at all (a zero matrix, no update yet): rank and norms are 0, the other measures NaN.
struct Levels {
  std::vector<Level> all;  ///< descending
  double largest = 0;      ///< σ_max
  double number = 0;       ///< n, multiplicities counted
  double energy = 0;       ///< Σσ²/σ_max²
  double entropy = 0;      ///< -Σ q ln q, q = σ²/Σσ²
};

/// Precondition: values positive and descending, multiplicities >= 0 of the same length.
Levels levels_of(const SingularValues& singular_values);

/// A measure of singular values, and its value for a zero matrix.
struct SpectralRow {
  const char *name, *summary, *formula, *long_name;
  double (*of)(const Levels&);
  double of_zero = std::numeric_limits<double>::quiet_NaN();

  double operator()(const Levels& levels) const { return levels.all.empty() ? of_zero : of(levels); }
};

const std::vector<SpectralRow>& spectral_rows();

}  // namespace rarefact
