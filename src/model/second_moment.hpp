#pragma once

namespace rarefact {

/// C = Σ p_l E_l E_lᵀ over the population, d_in x d_in, stored as its root: C = root rootᵀ 2^exponent with
/// root = E diag(√p) in units of 2^(exponent/2). In C itself the rarest classes would be lost in the rounding
/// of the most frequent ones.
template <class M>
struct SecondMoment {
  M root;  ///< d_in x classes
  int exponent = 0;
};

}  // namespace rarefact
