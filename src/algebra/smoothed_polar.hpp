#pragma once

/// The polar factor with its small singular values let go: h_λ(B) = U Σ (Σ² + λ²)^-½ Vᵀ of B = U Σ Vᵀ
/// (kim2026). It is the upper block of msgn of the stacked matrix [B; λI], whose singular values are (σ² +
/// λ²)^½: full rank, and never worse conditioned than B. What rounding leaves of a zero singular value, eps
/// σ_max, becomes eps σ_max/λ: the slope of h_λ.

#include "algebra/dense_matrix.hpp"
#include "algebra/symmetric_matrix.hpp"

namespace rarefact {

/// B is `x` x 2^exponent and λ = `smoothing` >= 0 is absolute, so the unit counts. λ = 0 is msgn.
DenseMatrix smoothed_polar(const DenseMatrix& x, double smoothing, int exponent, const Workers& workers);

/// The same on every irreducible part.
template <class Real>
SymmetricMatrix<Real> smoothed_polar(const SymmetricMatrix<Real>& x, double smoothing, int exponent,
                                     const Workers& workers);

}  // namespace rarefact
