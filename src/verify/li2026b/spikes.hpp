#pragma once

/// What the checks of li2026b share: spikes in noise, drawn and in the memory, and numbers of every seed.

#include "theory/spiked.hpp"
#include "verify/check.hpp"

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

/// The seeds of what is drawn.
inline const std::vector<double> drawn_seeds = {1, 2, 3, 4};

double momentum_of(const EvidencePoint& point, const std::string& optimizer);
/// The mean of a number over the recorded steps from `first` on.
double late_mean(const EvidencePoint& point, const std::string& optimizer, const std::string& variable,
                 std::int64_t first, std::size_t row = 0);

/// θ of the first class of a memory on random unit vectors in d dimensions, at W = 0: λ = p_1, and the columns of all others
/// add to noise of σ = (Σ p²)^½/d an entry.
double memory_theta(const EvidencePoint& point);

inline constexpr const char* no_digits = "what is random is drawn in doubles";

}  // namespace rarefact::checks::li2026b
