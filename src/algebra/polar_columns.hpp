#pragma once

/// The polar factor of columns that are nearly orthogonal, whatever their sizes.

#include <optional>

#include "core/parallel.hpp"
#include "core/types.hpp"

namespace rarefact {

/// msgn(X) of X = Y D, D the norms of the columns and YᵀY = I + E with a small E. It is Y T, where T = I + F makes TᵀYᵀYT = I
/// + N and the asymmetry of K = TᵀYᵀX vanish. With YᵀYT = I + M, T <- T (I + Z),
///
///     Z = -N/2 + S,   S_ij = ρ_ji M_ji - ρ_ij M_ij - N_ij (ρ_ji - ρ_ij)/2,   ρ_ij = d_i/(d_i + d_j),
///
/// which starts as Z_ij = -ρ_ij E_ij and gains a factor of |E| a time: as in PolarTracker no gap of singular values
/// divides, and no width of D costs digits. Nothing is factorised. Where |E|² is rounding this is all; where Y is large
/// in few entries, as gradients of K = 1e12 classes are, products are with those alone.
///
/// Nothing where |E| is not small, or a column is noise of what it was computed from: rank and reference_norms as in
/// polar.hpp.
template <class Real>
std::optional<MatrixOf<Real>> polar_of_columns(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms,
                                               const Workers& workers);

}  // namespace rarefact
