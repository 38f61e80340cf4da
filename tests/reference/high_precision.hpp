#pragma once

/// 80-digit numbers for oracles. Slow and plain; never linked into the program.

#include <Eigen/LU>
#include <Eigen/QR>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/eigen.hpp>

#include "core/real50.hpp"
#include "core/types.hpp"

namespace reference {

using Precise =
    boost::multiprecision::number<boost::multiprecision::cpp_bin_float<80>, boost::multiprecision::et_off>;
using PreciseMatrix = rarefact::MatrixOf<Precise>;

inline PreciseMatrix precise(const rarefact::MatrixOf<rarefact::Real50>& x) {
  return x.unaryExpr([](const rarefact::Real50& entry) { return Precise(entry.digits()); });
}

/// X (XᵀX)^-½ through Newton's iteration X <- (X + X^-T)/2, for square nonsingular X: shares no code or idea
/// with the library's own factorisations.
inline PreciseMatrix newton_polar(PreciseMatrix x) {
  for (int iteration = 0; iteration < 2000; ++iteration) {
    const PreciseMatrix inverse = x.inverse();
    // Scaling by (|X^-1|/|X|)^½ makes the number of iterations grow only with the logarithm of the condition.
    const Precise norm = x.norm(), inverse_norm = inverse.norm();
    const Precise mu = iteration < 60 ? Precise(sqrt(inverse_norm / norm)) : Precise(1);
    const PreciseMatrix next = (mu * x + inverse.transpose() / mu) / 2;
    const Precise change = (next - x).norm();
    x = next;
    if (change < Precise(1e-60)) break;
  }
  return x;
}

/// msgn of a square X of rank n - 1 whose left and right null vectors are u and z: X + s u zᵀ is nonsingular
/// and its polar factor is msgn(X) + u zᵀ for unit u, z and s > 0.
inline PreciseMatrix newton_polar(const PreciseMatrix& x, PreciseMatrix u, PreciseMatrix z) {
  u /= u.norm();
  z /= z.norm();
  const PreciseMatrix bridge = u * z.transpose();
  return newton_polar(x + x.norm() * bridge) - bridge;
}

}  // namespace reference
