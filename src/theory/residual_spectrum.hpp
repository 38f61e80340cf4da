#pragma once

/// Singular values of the first update, exactly and with their multiplicities, at every K (wang2025, Theorem
/// 5.3 and section 4.2). Real is double or Real50.

#include "algebra/singular_values.hpp"
#include "model/spectrum.hpp"

namespace rarefact {

/// X = diag(p) - (1/K) 1 pᵀ for two groups, n_1 = L classes of p_1 = α_h/L and n_2 = K - L of p_2 =
/// (1-α_h)/(K-L):
///
///     p_1 (n_1 - 1 times),  p_2 (n_2 - 1 times),  (p_1² n_2/K + p_2² n_1/K)^½ once, and one 0, left out.
///
/// std::invalid_argument unless the groups are two with unequal p.
template <class Real>
SingularValuesOf<Real> two_level_singular_values(const ClassGroups& groups);

/// X for any groups: p_i (n_i - 1 times), and the M - 1 roots σ of Σ_i n_i/(p_i² - σ²) = 0, one between any
/// two neighbouring p_i. Those are the nonzero singular values of T = (I - uuᵀ) diag(p), u_i = (n_i/K)^½,
/// because TTᵀ is diag(p)² restricted to u's complement. One 0 is left out. Groups of equal p count as one.
/// O(M²).
template <class Real>
SingularValuesOf<Real> residual_singular_values(const ClassGroups& groups);

/// Singular values of the update of coupled SignGD, theory/one_step.hpp, for K/b blocks. Those of own - other
/// come K/b - 1 times, those of own + (K/b - 1) other once. The largest of the latter belongs to the
/// direction in which all blocks agree, grows as K, and is one value among K: isotropy is judged
/// without it, as wang2025 does, and a table has to say so.
template <class Real>
struct SignUpdateSpectrum {
  SingularValuesOf<Real> bulk;  ///< all but `all_ones`
  Real all_ones;
  Real ratio() const { return bulk.values.back() / bulk.values.front(); }  ///< σ_min/σ_max of the bulk
};

/// K >= 2b, finite; blocks as in coupled_sign_update, where other has no zero.
template <class Real>
SignUpdateSpectrum<Real> sign_update_spectrum(const MatrixOf<Real>& answer_block,
                                              const MatrixOf<Real>& query_block, double class_total);

}  // namespace rarefact
