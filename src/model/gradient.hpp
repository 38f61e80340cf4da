#pragma once

#include <functional>
#include <optional>

namespace rarefact {

/// The gradient at one step, in units of 2^exponent: ∇L = 2^exponent ambient(). The unit prevents underflow
/// with 1e300 classes and with errors of e^-1000; rules that depend on the scale must use it.
template <class M>
struct Gradient {
  M task;                  ///< G_kl = p_l (p̂(k|l) - π(k|l)): the gradient in the task basis, K x K
  std::optional<M> image;  ///< Ẽ G Eᵀ if that differs from G
  int exponent = 0;

  /// ∇L in the coordinates of W.
  const M& ambient() const { return image ? *image : task; }
};

/// The Hessian H of the loss at one W, for rules that solve linear systems with it. Valid as long as the
/// memory, W and the sample exist. For the softmax
///
///     H[X] = Ẽ C(Ẽᵀ X E) Eᵀ,    C(S)_kl = p_l p̂_kl (S_kl - Σ_j p̂_jl S_jl)
///
/// Over a sample the weight of column l is n_l/B instead of p_l; a column without a gradient has weight 0. At
/// W = 0, H is H₀[X] = (Ẽ Q Ẽᵀ) X (E diag(p) Eᵀ), Q = (I - 11ᵀ/K)/K.
template <class M>
struct Hessian {
  /// X -> H[X] in units of 2^exponent, like gradients: if every error is e^-1000, so is H.
  std::function<M(const M& x)> product;
  int exponent = 0;
  /// X -> (H₀ + λ)⁺ X up to a constant factor: a preconditioner. Zero on the null space of H₀ if λ = 0.
  std::function<M(const M& x, double damping)> solve_at_zero;
  /// X -> (H + λ)⁺ X. Null if it needs iterations with product and solve_at_zero.
  std::function<M(const M& x, double damping)> solve = {};
};

/// C = Σ p_l E_l E_lᵀ over the population, d_in x d_in, stored as its root: C = root rootᵀ 2^exponent with
/// root = E diag(√p) in units of 2^(exponent/2). In C itself the rarest classes would be lost in the rounding
/// of the most frequent ones.
template <class M>
struct SecondMoment {
  M root;  ///< d_in x classes
  int exponent = 0;
};

}  // namespace rarefact
