#pragma once

/// Singular values without vectors: Householder reduction to bidiagonal form, then the differential
/// quotient-difference algorithm in O(n²) operations.

#include <optional>

#include "core/types.hpp"

namespace rarefact {

/// B = UᵀAV, upper bidiagonal.
struct Bidiagonal {
  Vector diagonal;
  Vector above;  ///< one entry fewer
};

/// By Householder reflections, alternately from the left and from the right. A has at least as many rows as
/// columns. The error is a few eps σ_max; if the columns are sorted by length, the error of each column is
/// relative to its own length.
Bidiagonal bidiagonal(const Matrix& a);
struct EightKernels;
Bidiagonal bidiagonal(const Matrix& a, const EightKernels& kernels);  ///< all give the same bytes

/// Singular values of B, descending, each with a small multiple of eps as its relative error: the shifted
/// differential quotient-difference algorithm (Fernando and Parlett 1994). The shift is the only subtraction
/// in a transform, and a transform whose shift was too large is repeated with a smaller one. Squares of the
/// entries of B must neither underflow nor overflow. nullopt if it does not converge (never observed) or B
/// has NaN.
std::optional<Vector> singular_values(const Bidiagonal& b);

/// The singular values of R, descending; R has at most as many rows as columns. nullopt if Σσ² differs from
/// ‖R‖² by more than rounding.
std::optional<Vector> checked_singular_values(const Matrix& r);

}  // namespace rarefact
