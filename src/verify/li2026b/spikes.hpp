#pragma once

/// Spikes in noise, drawn.

#include <cmath>

#include "core/types.hpp"

namespace rarefact::checks::li2026b {

/// λ u vᵀ + σ N.
struct Spike {
  Index rows = 0, columns = 0;
  double signal = 1;  ///< λ
  double noise = 1;   ///< σ
  /// λ/(σ√n), n >= m.
  double theta() const { return signal / (noise * std::sqrt(static_cast<double>(columns))); }
};

/// Mean of uᵀ msgn(λ u vᵀ + σ N) v over `draws` pairs N and -N of Gaussian matrices of this seed: what N shows along u, v
/// without a spike cancels. u and v are the first unit vectors, as the law of N turns with any others.
double drawn_recovery(const Spike& spike, double seed, int draws);

}  // namespace rarefact::checks::li2026b
