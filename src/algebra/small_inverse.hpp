#pragma once

/// The inverse of a small matrix, without blocking.

#include <optional>

#include "core/types.hpp"

namespace rarefact {

/// The number of rows up to which it is faster than LuFactors: the matrix fits the first-level cache.
inline constexpr Index largest_small_inverse = 64;

/// X⁻ᵀ by Gauss-Jordan elimination with partial pivoting, on this thread. nullopt if a pivot is zero or not finite.
std::optional<Matrix> small_inverse_transposed(const Matrix& x);

}  // namespace rarefact
