#pragma once

namespace rarefact {

/// C = Σ p_l E_l E_lᵀ over the population, in x in, by its root: C = root rootᵀ 2^exponent with root = E diag(√p) in
/// units of 2^(exponent/2). Formed, the rarest classes would be rounding of the most frequent ones.
template <class M>
struct SecondMoment {
  M root;  ///< in x classes
  int exponent = 0;
};

}  // namespace rarefact
