#pragma once

#include <functional>

namespace rarefact {

/// The Hessian H of the loss at one W, for rules that solve with it. Valid as long as the memory, W and the
/// sample it was taken of.
///
///     H[X] = Ẽ C(Ẽᵀ X E) Eᵀ,    C(S)_kl = p_l p̂_kl (S_kl - Σ_j p̂_jl S_jl)
///
/// Over a sample the weight of column l is n_l/B in the place of p_l; a column that the gradient leaves out
/// has weight 0. At W = 0, H is H₀[X] = (Ẽ Q Ẽᵀ) X (E diag(p) Eᵀ), Q = (I - 11ᵀ/K)/K.
template <class M>
struct Curvature {
  /// X -> H[X] in units of 2^exponent, as gradients: where every error is e^-1000, so is H.
  std::function<M(const M& x)> product;
  int exponent = 0;
  /// X -> (H₀ + λ)⁺ X up to a constant factor: a preconditioner. Zero on the null space of H₀ where λ = 0.
  std::function<M(const M& x, double damping)> solve_at_zero;
};

}  // namespace rarefact
