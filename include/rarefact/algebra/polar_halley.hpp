#pragma once

/// The polar factor of a general matrix by products and Cholesky factors.

#include <optional>

#include "rarefact/core/parallel.hpp"
#include "rarefact/core/types.hpp"

namespace rarefact {

/// Columns below which a factorisation from scratch takes less time than the blocks of a Cholesky factor.
inline constexpr Index smallest_for_halley = 32;

/// msgn(A) of a matrix of full column rank, rows >= columns, by the dynamically weighted Halley iteration
///
///     A <- (b/c) A + (a - b/c) A (I + c AᵀA)⁻¹
///
/// (Nakatsukasa, Bai and Gygi 2010), whose weights follow the smallest singular value, finished by the series
/// of (AᵀA)^-½. The first weights are large; there the solve is repeated on what the first one left of the
/// orthogonality of [√c A; I], as in Cholesky-QR, so that the whole is backward stable: the error is of the
/// order eps σ_max/σ_min. Nothing where A is not of full rank to rounding (see rank_tolerance_factor), or too
/// close to it for products to tell. A must be finite.
std::optional<Matrix> halley_polar(const Matrix& a, const Workers& workers);

}  // namespace rarefact
