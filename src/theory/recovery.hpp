#pragma once

/// The part of a signal that survives in the polar factor of signal and noise: λ u vᵀ + σ N, N m x n with independent
/// standard normal entries and u, v unit vectors; and s I + N/√m. Limits of large matrices, with an error of O(1/m).
///
/// Since msgn(X) is the gradient of the nuclear norm, uᵀ msgn(X) v = ∂‖X‖_*/∂λ, which follows from Stieltjes
/// transforms of the singular values of N. Derived here; li2026b has bounds.

namespace rarefact {

/// E uᵀ msgn(λ u vᵀ + σ N) v for m x n matrices, m <= n, γ = m/n in (0, 1], θ = λ/(σ√n) >= 0 (otherwise
/// std::invalid_argument):
///
///     a = (2/π) ∫₀^∞ θ g²/(1 + θ² g²) dt,  g² = t² r r',  γ t² r² + (t² + 1 - γ) r = 1,  r' = γ r + (1-γ)/t²
///
/// r and r' are, up to a factor t, the resolvent traces of NNᵀ/n and NᵀN/n. For γ = 1 this is
/// (2/π) [(1 - θ⁻²) atan θ + θ⁻¹], 8θ/(3π) for small θ, 1 - θ⁻² for large ones. It rises without a threshold.
double spike_recovery(double theta, double gamma);

/// tr msgn(s I + N/√m)/m for a signal of full rank, s >= 0:
///
///     1 - 1/(4s²) for s >= 1,  (2s/π) ∫_√(1-s²)^∞ [1/(h²+s²) - (s²-h²)/(h²+s²)³] dh for s < 1
double flat_recovery(double s);

}  // namespace rarefact
