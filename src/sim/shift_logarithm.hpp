#pragma once

/// The field whose flow over time 1 is an update: the logarithm of the shift, by Newton's forward differences,
///
///     v = Σ_k (-1)^k/(k+1) Δ^k u_0,        Δ^k the k-th difference of u_0, u_1 … along as many updates

#include <algorithm>
#include <cmath>
#include <vector>

namespace rarefact {

/// The number of terms after which the next is below the rounding of u, if u changes by this part of itself in an update.
/// Each difference doubles the rounding error.
inline int shift_terms(double change) {
  constexpr int most = 12;
  const double needed = std::log(1e-16) / std::log(std::clamp(change, 1e-16, 0.5));
  return std::clamp(static_cast<int>(std::ceil(needed)), 2, most);
}

/// The factors of u_0, u_1 … in the sum of `terms` terms: (-1)^j Σ_k C(k, j)/(k + 1), j <= k < terms.
inline std::vector<double> shift_logarithm(int terms) {
  std::vector<double> factors;
  for (int j = 0; j < terms; ++j) {
    double sum = 0, binomial = 1;  // C(k, j)
    for (int k = j; k < terms; ++k) {
      sum += binomial / (k + 1);
      binomial *= static_cast<double>(k + 1) / (k + 1 - j);
    }
    factors.push_back(j % 2 == 0 ? sum : -sum);
  }
  return factors;
}

}  // namespace rarefact
