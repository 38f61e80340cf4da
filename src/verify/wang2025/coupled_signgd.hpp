#pragma once

/// SignGD with rotated blocks, E = I ⊗ R, Ẽ = I ⊗ R̃, classes of a block equally likely (then p drops out, and all groups are
/// alike): its first update and what follows from it. Real is double or Real50. The update is sign(-∇L) in the coordinates of W,
///
///     own = sign(R̃Rᵀ - (R̃1)(R1)ᵀ/K),   other = -sign((R̃1)(R1)ᵀ),   sign(0) = 0.
///
/// The blocks are square and of one size; std::invalid_argument otherwise.

#include "algebra/singular_values.hpp"
#include "algebra/symmetric_matrix.hpp"

namespace rarefact::checks::wang2025 {

/// The logits of the update: D = R̃ᵀ own R for the own block and O = R̃ᵀ other R for the others, K/b blocks in one group.
/// K >= 2b, finite.
template <class Real>
SymmetricMatrix<Real> coupled_sign_direction(const MatrixOf<Real>& answer_block,
                                             const MatrixOf<Real>& query_block, double class_total);

/// Margins of coupled SignGD per column of a block, and the order of ϱ at the threshold that follows.
template <class Real>
struct CoupledSignMargins {
  VectorOf<Real> to_others;  ///< m_c = D_cc - max_r O_rc
  VectorOf<Real> within;     ///< w_c = D_cc - max_{r≠c} D_rc; negative: the infimum of p̂ over η is 0
  Real ratio;                ///< least over largest m_c
  /// x of ϱ at the threshold ≍ K^{-x} as K → ∞. With η = t ln K the threshold is t = 1/max{m_c : w_c > 0} and
  /// class c has odds K^{max(1 - t m_c, -t w_c)}; x is the largest exponent. 1 - ratio where w_c matters
  /// nowhere, and then ϱ ≍ ε^{-ratio} K^{-x}. NaN where no class is ever retrieved.
  Real exponent;
};

/// K may be infinite.
template <class Real>
CoupledSignMargins<Real> coupled_sign_margins(const MatrixOf<Real>& answer_block,
                                              const MatrixOf<Real>& query_block, const Real& class_total);

/// Singular values of the update of coupled SignGD for K/b blocks. Those of own - other
/// come K/b - 1 times, those of own + (K/b - 1) other once. The largest of the latter belongs to the
/// direction in which all blocks agree, grows as K, and is one value among K: isotropy is judged
/// without it, as wang2025 does, and a table has to say so.
template <class Real>
struct SignUpdateSpectrum {
  SingularValuesOf<Real> bulk;  ///< all but `all_ones`
  Real all_ones;
  Real ratio() const { return bulk.values.back() / bulk.values.front(); }  ///< σ_min/σ_max of the bulk
};

/// K >= 2b, finite; other has no zero.
template <class Real>
SignUpdateSpectrum<Real> sign_update_spectrum(const MatrixOf<Real>& answer_block,
                                              const MatrixOf<Real>& query_block, double class_total);

}  // namespace rarefact::checks::wang2025
