#pragma once

/// The polar factor of a general matrix by inverses and products.

#include <optional>

#include "core/parallel.hpp"
#include "core/types.hpp"

namespace rarefact {

/// Rows or columns below which a factorisation from scratch takes less time.
inline constexpr Index smallest_for_newton = 32;

/// msgn(A) of a matrix of full rank by Newton's iteration with the scaling of Byers and Xu (2008),
///
///     B <- (ζ B + B⁻ᵀ/ζ)/2,    ζ² the inverse product of the largest and the least singular value,
///
/// which makes √κ/2 of a condition κ; the series of (BBᵀ)^-½ finishes. A matrix with one row more or less than columns
/// gains the unit vector orthogonal to the others, of which msgn is what it is; of one with still more, an orthonormal
/// basis is taken out first (shifted Cholesky-QR, Fukaya and others 2020). The whole is backward stable: the error is of the
/// order eps σ_max/σ_min. Nothing where A is not of full rank to rounding (see rank_tolerance_factor). A must be finite.
std::optional<Matrix> newton_polar(const Matrix& a, const Workers& workers);

}  // namespace rarefact
