#pragma once

#include <optional>

namespace rarefact {

/// The gradient at one step, in units of 2^exponent: ∇L = 2^exponent ambient(). The unit keeps both 1e300
/// classes and errors of e^-1000 from underflowing; a rule that depends on scale must use it.
template <class M>
struct Gradient {
  M task;                  ///< G_kl = p_l (p̂(k|l) - π(k|l)): the gradient in the task basis, K x K
  std::optional<M> image;  ///< Ẽ G Eᵀ where that differs from G
  int exponent = 0;

  /// ∇L in the coordinates of W.
  const M& ambient() const { return image ? *image : task; }
};

}  // namespace rarefact
