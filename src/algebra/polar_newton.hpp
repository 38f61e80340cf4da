#pragma once

/// The polar factor of a general matrix by inverses and products.

#include <optional>

#include "core/parallel.hpp"
#include "core/types.hpp"

namespace rarefact {

/// With fewer rows or columns, a factorisation from scratch is faster.
inline constexpr Index smallest_for_newton = 32;

/// msgn(A) of a matrix of full rank by Newton's iteration with the scaling of Byers and Xu (2008),
///
///     B <- (ζ B + B⁻ᵀ/ζ)/2,    ζ² the inverse product of the largest and the least singular value,
///
/// which reduces a condition number κ to √κ/2; the series of (BBᵀ)^-½ finishes. A matrix with one row more or
/// less than columns is completed by the unit vector orthogonal to the others, which msgn preserves; for
/// larger differences an orthonormal basis is factored out first (shifted Cholesky-QR, Fukaya and others
/// 2020). The method is backward stable, with an error of the order eps σ_max/σ_min. nullopt if A does not
/// have full rank up to rounding (see rank_tolerance_factor). A must be finite.
std::optional<Matrix> newton_polar(const Matrix& a, const Workers& workers);

}  // namespace rarefact
