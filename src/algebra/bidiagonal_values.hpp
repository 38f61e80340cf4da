#pragma once

/// Singular values without vectors: to a bidiagonal matrix by reflections, and from there by differential quotients and
/// differences, O(n²) operations.

#include <optional>

#include "core/types.hpp"

namespace rarefact {

/// B = UᵀAV, zero but on its diagonal and beside it.
struct Bidiagonal {
  Vector diagonal;
  Vector above;  ///< one fewer
};

/// By Householder reflections, alternately from the left and from the right. A has at least as many rows as columns.
/// The error is a few eps σ_max, and where the columns are sorted by length that of each of them is relative to its own.
Bidiagonal bidiagonal(Matrix a);

/// Singular values of B, descending, each with a small multiple of eps as its relative error: the shifted differential
/// quotient-difference algorithm (Fernando and Parlett 1994). No transform subtracts but by the shift, and one whose
/// shift was too large is made again with a smaller one. Squares of what B holds must neither under- nor overflow.
/// Nothing where it does not come to an end, which no matrix is known for, or B holds what is no number.
std::optional<Vector> singular_values(const Bidiagonal& b);

/// Of any matrix with no more rows than columns, descending; nothing where Σσ² is not ‖R‖² to rounding.
std::optional<Vector> checked_singular_values(const Matrix& r);

}  // namespace rarefact
