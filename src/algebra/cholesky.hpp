#pragma once

/// Products and factors of symmetric matrices in tiles, with bytes independent of the number of threads.

#include <optional>

#include "algebra/packed_factor.hpp"
#include "core/parallel.hpp"
#include "core/types.hpp"

namespace rarefact {

/// AᵀA.
Matrix gram(const MatrixView<double>& a, const Workers& workers);

/// The upper triangle from the lower one.
void mirror_lower(Matrix& x, const Workers& workers);

/// L⁻¹ of Z = L Lᵀ, lower triangular; nothing where Z is not positive definite to rounding. Only the lower
/// triangle of Z is read.
std::optional<Matrix> inverse_cholesky(Matrix z, const Workers& workers);

}  // namespace rarefact
