#pragma once

/// Singular values of (I - J/K) diag(d), J the matrix of ones. Every column matrix whose columns sum to zero
/// has this form.

#include "algebra/singular_values.hpp"

namespace rarefact {

/// The nonzero singular values of (I - J/K) diag(d), descending, for count_i columns of length d_i, K = Σ
/// count: |d_i| (n_i - 1 times), and the roots σ of
///
///     Σ_i n_i/(d_i² - σ²) = 0,
///
/// one between any two neighbouring |d_i|, because diag(d)² - d dᵀ/K has these eigenvalues and 0. Columns of
/// equal |d| count as one group. Every value has a relative error of a few eps. O(M²) for M groups.
template <class Real>
SingularValuesOf<Real> centred_singular_values(const std::vector<double>& count,
                                               const std::vector<Real>& length);

}  // namespace rarefact
