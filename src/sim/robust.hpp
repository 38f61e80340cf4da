#pragma once

/// How often the right answer has the largest logit for noisy test queries E_l + σz, z standard normal.

#include "core/parallel.hpp"
#include "core/random.hpp"
#include "metrics/probe.hpp"

namespace rarefact {

/// For logits S = 1cᵀ + diag m and orthonormal queries, where all noise but that of the own logits cancels:
///
///     P_l = ∫ φ(z) Π_{k≠l} Φ(m_l (1/σ + z)/|m_k|) dz
///
/// For m_k = 0 the factor is 1[m_l (1 + σz) > 0]; answers that tie share. `margin` m of every cell, `count` classes in it,
/// 0 for a class that other cells represent. Absolute error below 1e-13, or 1e-12 for more than 64 margins.
std::vector<double> robust_by_integral(const std::vector<double>& margin, const std::vector<double>& count,
                                       double noise, const Workers& workers);

/// By draws, which must be at least 2, from the logits S and the matrix ẼᵀW; draw n has the numbers (n, i) of the stream.
RobustMeasures robust_by_draws(const Matrix& logits, const Matrix& answers, const std::vector<Index>& right,
                               std::span<const double> mass, double noise, Index draws,
                               const RandomStream& stream, const Workers& workers);

}  // namespace rarefact
