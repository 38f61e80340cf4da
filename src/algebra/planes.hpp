#pragma once

/// Operations on matrices of every algebra number by number. A matrix M is stored as arrays of numbers, its planes:
///
///     M::for_planes(body, x...)   body(plane of each x...), for one plane after the other
///     x.like()                    a matrix of the same shape whose planes are still empty
///
/// Two matrices have the same planes if they have the same shape. Functions must send zeros to zero.

#include "core/types.hpp"

namespace rarefact {

template <class M>
concept MatrixAlgebra = requires(const M& x) {
  typename M::Polar;
  x.like();
};

/// Y <- a Y + c X.
template <MatrixAlgebra M>
void combine(M& y, Given<typename M::Scalar> a, Given<typename M::Scalar> c, const M& x) {
  M::for_planes([&](auto& to, const auto& from) { to = a * to + c * from; }, y, x);
}

/// Entrywise f(X), and in place Y <- f(Y, X).
template <MatrixAlgebra M, class Function>
M mapped(const M& x, const Function& f) {
  M y = x.like();
  M::for_planes([&](auto& to, const auto& from) { to = from.unaryExpr(f); }, y, x);
  return y;
}
template <MatrixAlgebra M, class Function>
void map_in_place(M& y, const M& x, const Function& f) {
  M::for_planes([&](auto& to, const auto& from) { to = to.binaryExpr(from, f); }, y, x);
}

/// max |x| of the numbers stored; NaN if one is.
template <MatrixAlgebra M>
typename M::Scalar largest_entry(const M& x) {
  using Real = typename M::Scalar;
  Real largest(0);
  M::for_planes(
      [&](const auto& plane) {
        if (plane.size() == 0) return;
        const Real here = plane.cwiseAbs().template maxCoeff<Eigen::PropagateNaN>();
        if (largest == largest && !(here <= largest)) largest = here;
      },
      x);
  return largest;
}

template <MatrixAlgebra M>
bool all_finite(const M& x) {
  using std::isfinite;
  return isfinite(largest_entry(x));
}

}  // namespace rarefact
