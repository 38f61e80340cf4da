#pragma once

/// Plane rotations that make columns orthogonal (one-sided Jacobi).

#include <cmath>
#include <limits>

#include "algebra/singular_values.hpp"

namespace rarefact {

inline constexpr int max_jacobi_sweeps =
    60;  ///< 5 to 10 suffice in practice; convergence is quadratic at the end

/// The rounding noise of the cosine of two unit vectors with `rows` entries.
template <class Real>
Real jacobi_tolerance(Index rows) {
  using std::sqrt;
  return std::numeric_limits<Real>::epsilon() * (Real(4) + sqrt(Real(static_cast<double>(rows))) / Real(2));
}

/// L J = N diag(sigma), N with orthonormal columns, J orthogonal.
template <class Real>
struct JacobiResult {
  MatrixOf<Real> n;  ///< unit columns, as many as L has (zero where sigma is)
  MatrixOf<Real> j;  ///< `beside` J
  VectorOf<Real> sigma;
};

/// Orthogonalises the columns of L (most usefully the transposed R of a pivoted QR) by plane rotations, and
/// rotates the columns of `beside` (as many, or empty) with them. Columns are stored as unit vectors times a
/// scale, and a rotation is computed from the ratio of scales and the cosine alone, so columns that differ by
/// 1e300 in size neither underflow nor lose digits: the criterion |cosine| <= tolerance is relative to both
/// columns. Doubles are rotated four disjoint pairs at a time, in a different order.
template <class Real>
JacobiResult<Real> one_sided_jacobi(const MatrixOf<Real>& l, const MatrixOf<Real>& beside = {}) {
  using std::abs;
  using std::sqrt;
  const Index columns = l.cols();
  JacobiResult<Real> result{l, beside, VectorOf<Real>(columns)};
  auto& [n, j, sigma] = result;
  for (Index c = 0; c < columns; ++c) {
    sigma(c) = safe_norm(n.col(c));
    if (sigma(c) > Real(0)) n.col(c) /= sigma(c);  // a zero column is orthogonal to all and stays
  }
  const Real tolerance = jacobi_tolerance<Real>(l.rows());
  for (int sweep = 0; sweep < max_jacobi_sweeps; ++sweep) {
    bool rotated = false;
    for (Index first = 0; first + 1 < columns; ++first) {
      for (Index second = first + 1; second < columns; ++second) {
        const Real cosine = n.col(first).dot(n.col(second));
        const bool in_order = sigma(first) >= sigma(second);
        const Index x = in_order ? first : second;  // the larger column
        const Index y = in_order ? second : first;
        if (!(sigma(y) > Real(0))) continue;
        const Real ratio = sigma(y) / sigma(x);
        // Orthogonal to rounding once |cosine| <= tolerance. Rotations down to tolerance x ratio are still
        // made (not counted, so they cannot prolong the loop): they give the small column's components along
        // large ones, of size ratio, their digits, which products with the graded matrix need.
        if (abs(cosine) <= tolerance * ratio) continue;
        if (abs(cosine) > tolerance) rotated = true;
        // tan of the angle is ratio x tau, finite as ratio -> 0.
        const Real gap = (Real(1) - ratio) * (Real(1) + ratio);
        const Real tau =
            Real(-2) * cosine / (gap + sqrt(gap * gap + Real(4) * ratio * ratio * cosine * cosine));
        const Real tangent = ratio * tau;
        const Real c = Real(1) / sqrt(Real(1) + tangent * tangent), s = c * tangent;
        const Real to_x = ratio * s, to_y = c * tau;
        for (Index i = 0; i < n.rows(); ++i) {
          const Real nx = n(i, x), ny = n(i, y);
          n(i, x) = c * nx - to_x * ny;
          n(i, y) = c * ny + to_y * nx;
        }
        for (Index i = 0; i < j.rows(); ++i) {
          const Real jx = j(i, x), jy = j(i, y);
          j(i, x) = c * jx - s * jy;
          j(i, y) = c * jy + s * jx;
        }
        for (const Index changed : {x, y}) {
          const Real norm = n.col(changed).norm();
          sigma(changed) *= norm;
          n.col(changed) /= norm;
        }
      }
    }
    if (!rotated) break;
  }
  return result;
}

template <>
JacobiResult<double> one_sided_jacobi<double>(const Matrix& l, const Matrix& beside);

}  // namespace rarefact
