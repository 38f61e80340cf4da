#pragma once

/// Normalised directional sharpness ⟨D, HD⟩/‖D‖²_F in closed form (wang2026; docs/variants.md), from the margins.
/// Orthonormal embeddings, one answer per query, equal wrong logits. p̂ = p̂(l|l), e = 1 - p̂.

#include "theory/prediction.hpp"

namespace rarefact {

/// nds of gradient descent, exact, NaN with decay from a start that is not 0: K/(K-1) Σ p³(e - α(K-1)/K)² e p̂ / Σ p²(e - α(K-1)/K)².
template <class Real>
Real sharpness_of_gd(const PredictionInput& input, std::span<const PredictedMargin<Real>> margins);

/// The same without decay; NaN with it, as D = G/‖G‖ + λW.
template <class Real>
Real sharpness_of_ngd(const PredictionInput& input, std::span<const PredictedMargin<Real>> margins);

/// nds of Muon. Exact at W = 0: (1 - Σp⁻¹/Σp⁻²)/(K(K-1)). Later the columns of the update are approximated by those
/// of the identity, with an error of O(1/K): Σ p e p̂ / K, at most 1/(4K).
template <class Real>
Real sharpness_of_polar(const PredictionInput& input, std::span<const PredictedMargin<Real>> margins);

/// nds of the sign in the task basis, exact without decay, and NaN with it: 4 Σ p e p̂ / K².
template <class Real>
Real sharpness_of_sign(const PredictionInput& input, std::span<const PredictedMargin<Real>> margins);

/// nds of the first update of the sign with Haar-distributed embeddings, without label noise, for large K;
/// the relative error is O(1/K):
///
///     (2/(πK)) Σ_l p_l³ E[x_l²/Σp²x²] + (1 - 2/π)/K²,   x standard normal
///
/// A row of ẼGEᵀ is Σ_l p_l x_l E_lᵀ, and given x its sign has the component (2/π)^½ p_l x_l/(Σp²x²)^½ along E_l.
double first_sharpness_of_haar_sign(const std::vector<double>& class_count,
                                    const std::vector<double>& class_probability);

}  // namespace rarefact
