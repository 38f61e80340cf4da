#pragma once

/// The polar factor of a general matrix by products and Cholesky factors.

#include <optional>

#include "core/parallel.hpp"
#include "core/types.hpp"

namespace rarefact {

/// Rows or columns below which a factorisation from scratch takes less time than the blocks of a Cholesky
/// factor.
inline constexpr Index smallest_for_halley = 32;

/// msgn(A) of a matrix of full rank by the dynamically weighted Halley iteration (Nakatsukasa, Bai and Gygi
/// 2010), on B = A or Aᵀ, whichever has no more rows than columns:
///
///     B <- (b/c) B + (a - b/c) (I + c BBᵀ)⁻¹ B.
///
/// Its weights follow the smallest singular value; the series of (BBᵀ)^-½ finishes. The first weights are
/// large; there the solve is repeated on what the first one left of the orthogonality of [√c Bᵀ; I], as in
/// Cholesky-QR, so that the whole is backward stable: the error is of the order eps σ_max/σ_min. Nothing
/// where A is not of full rank to rounding (see rank_tolerance_factor), or too close to it for products to
/// tell. A must be finite.
std::optional<Matrix> halley_polar(const Matrix& a, const Workers& workers);

}  // namespace rarefact
