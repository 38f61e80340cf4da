#pragma once

/// The polar factor of columns that are nearly orthogonal, whatever their sizes.

#include <optional>

#include "core/parallel.hpp"

namespace rarefact {

/// msgn(X) of X = Y D, D the norms of the columns and YᵀY = I + E with a small E. It is Y T, where T = I + F makes TᵀYᵀYT = I
/// + N and the asymmetry of K = TᵀYᵀX vanish. With YᵀYT = I + M, T <- T (I + Z),
///
///     Z = -N/2 + S,   S_ij = ρ_ji M_ji - ρ_ij M_ij - N_ij (ρ_ji - ρ_ij)/2,   ρ_ij = d_i/(d_i + d_j),
///
/// which starts as Z_ij = -ρ_ij E_ij and gains a factor of |E| per iteration. As in WarmStartPolar there is no
/// division by gaps of singular values, a wide range of D costs no digits, and nothing is factorised. If |E|²
/// is below rounding, one iteration is enough.
///
/// nullopt if |E| is not small, or a column is only rounding noise: rank and reference_norms as in polar.hpp.
template <class Real>
std::optional<MatrixOf<Real>> polar_near_orthogonal(const MatrixOf<Real>& x,
                                                    const VectorOf<Real>& reference_norms,
                                                    const Workers& workers);

}  // namespace rarefact
