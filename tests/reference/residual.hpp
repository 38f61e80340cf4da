#pragma once

/// Matrices shaped like the residual of the memory: columns that sum to zero, scaled by class probabilities.

#include <cmath>

#include "core/random.hpp"
#include "core/types.hpp"

namespace reference {

/// (P̂ - Π) diag(p) with wrong answers that differ by about `spread` and p falling from 1 to 10^-decades.
/// Every sign is that of a noiseless residual; the diagonal is minus the sum of the rest.
inline rarefact::Matrix residual_like(rarefact::Index n, double decades, std::uint64_t seed,
                                      double spread = 0.3) {
  const rarefact::RandomStream random(seed, "residual");
  rarefact::Matrix x(n, n);
  for (rarefact::Index l = 0; l < n; ++l) {
    const double p = std::pow(10.0, -decades * static_cast<double>(l) / static_cast<double>(n - 1));
    double sum = 0;
    for (rarefact::Index k = 0; k < n; ++k) {
      if (k == l) continue;
      x(k, l) = p * std::exp(spread * random.normal(0, static_cast<std::uint64_t>(k * n + l))) /
                static_cast<double>(n);
      sum += x(k, l);
    }
    x(l, l) = -sum;
  }
  return x;
}

/// The same matrix in high precision with columns that sum to zero exactly.
template <class ExactMatrix>
ExactMatrix exact_columns(const rarefact::Matrix& x) {
  using Real = typename ExactMatrix::Scalar;
  ExactMatrix precise = x.template cast<Real>();
  for (rarefact::Index l = 0; l < x.cols(); ++l) {
    precise(l, l) = Real(0);
    precise(l, l) = -precise.col(l).sum();
  }
  return precise;
}

}  // namespace reference
