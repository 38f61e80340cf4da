#pragma once

/// Singular values of (I - J/K) diag(d), J all ones: what every column matrix is whose columns sum to zero.

#include <vector>

#include "algebra/singular_values.hpp"

namespace rarefact {

/// Those of (I - J/K) diag(d) that are not zero, descending, for `count` columns each of these lengths, K = Σ count:
/// |d_i| (n_i - 1 times), and the roots σ of
///
///     Σ_i n_i/(d_i² - σ²) = 0,
///
/// one between any two neighbouring |d_i|, because diag(d)² - d dᵀ/K has these eigenvalues and 0. Columns of equal |d|
/// count as one group. Every value is good to a few eps, however small beside others. O(M²) for M groups.
template <class Real>
SingularValuesOf<Real> centred_singular_values(const std::vector<double>& count,
                                               const std::vector<Real>& length);

}  // namespace rarefact
