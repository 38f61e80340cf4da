#pragma once

/// What the polar factor is made of: QR with column pivoting whose rank decision is relative to every column's
/// own norm, one-sided Jacobi on graded columns, and Eigen's SVD with its result checked.

#include <cmath>
#include <limits>
#include <optional>

#include "algebra/singular_values.hpp"

namespace rarefact {

/// X P = Q R with r independent columns first.
template <class Real>
struct PivotedQr {
  MatrixOf<Real> reflectors;  ///< Q as r reflections I - β v vᵀ, v from row k of column k on
  VectorOf<Real> betas;
  MatrixOf<Real> r;           ///< r x n, columns in X's own order (not permuted)
  std::vector<Index> pivots;  ///< column chosen at each of the r steps

  /// m x r, orthonormal columns.
  MatrixOf<Real> q() const {
    const Index m = reflectors.rows(), k = r.rows();
    MatrixOf<Real> columns = MatrixOf<Real>::Identity(m, k);
    for (Index i = k - 1; i >= 0; --i) {
      const auto v = reflectors.col(i).tail(m - i);
      auto block = columns.bottomRightCorner(m - i, k - i);
      const VectorOf<Real> w = betas(i) * (block.transpose() * v);
      block -= v * w.transpose();
    }
    return columns;
  }
};

/// Householder QR with column pivoting (largest remaining norm first). A column whose remainder is at most
/// tolerance x reference_norms[j] is dependent: it is set aside for good and never becomes a pivot, even if
/// its remainder (rounding noise of a large column) exceeds all of a genuinely independent small one.
template <class Real>
PivotedQr<Real> pivoted_qr(const MatrixOf<Real>& x, const VectorOf<Real>& reference_norms, Real tolerance) {
  using std::sqrt;
  const Index m = x.rows(), n = x.cols();
  MatrixOf<Real> a = x;
  std::vector<bool> available(static_cast<std::size_t>(n), true);
  PivotedQr<Real> result{
      MatrixOf<Real>::Zero(m, std::min(m, n)), VectorOf<Real>::Zero(std::min(m, n)), {}, {}};
  VectorOf<Real> remaining(n);  // norms of what is left of every column, kept up to date
  for (Index j = 0; j < n; ++j) remaining(j) = safe_norm(a.col(j));
  VectorOf<Real> fresh =
      remaining;  // the value at the last exact computation, to see when downdating lost digits

  Index k = 0;
  while (k < std::min(m, n)) {
    Index pivot = -1;
    for (Index j = 0; j < n; ++j) {
      if (!available[j]) continue;
      if (pivot < 0 || remaining(j) > remaining(pivot)) pivot = j;
    }
    if (pivot < 0) break;
    const Real norm = safe_norm(a.col(pivot).tail(m - k));
    if (norm <= tolerance * reference_norms(pivot)) {
      available[pivot] = false;
      a.col(pivot).tail(m - k).setZero();
      continue;
    }
    // A stale norm must not decide the order: put the exact one back and look again.
    if (norm < remaining(pivot) / 2) {
      remaining(pivot) = fresh(pivot) = norm;
      bool still_largest = true;
      for (Index j = 0; j < n; ++j) still_largest = still_largest && (!available[j] || remaining(j) <= norm);
      if (!still_largest) continue;
    }
    available[pivot] = false;
    // Householder vector v (scaled to v_0 + ...) with H = I - beta v vᵀ taking the column to (-sign) norm
    // e_1.
    VectorOf<Real> v = a.col(pivot).tail(m - k) / norm;
    const Real sign = v(0) < Real(0) ? Real(-1) : Real(1);
    v(0) += sign;
    const Real beta = Real(1) / (Real(1) + sign * a(k, pivot) / norm);
    for (Index j = 0; j < n; ++j) {
      if (!available[j] || remaining(j) == Real(0)) continue;
      auto tail = a.col(j).tail(m - k);
      tail -= (beta * v.dot(tail)) * v;
      // Downdate; recompute where cancellation has eaten half the digits.
      const Real ratio = a(k, j) / remaining(j);
      const Real left = Real(1) - ratio * ratio;
      const Real kept = left > Real(0) ? Real(remaining(j) * sqrt(left)) : Real(0);
      if (kept <= Real(1e-6) * fresh(j)) {
        remaining(j) = fresh(j) = safe_norm(a.col(j).tail(m - k - 1));
      } else {
        remaining(j) = kept;
      }
    }
    a.col(pivot).tail(m - k).setZero();
    a(k, pivot) = -sign * norm;
    result.reflectors.col(k).tail(m - k) = v;
    result.betas(k) = beta;
    result.pivots.push_back(pivot);
    ++k;
  }

  result.r = a.topRows(k);
  return result;
}

/// Orthonormal basis of the null space of R (r x n), upper triangular in the order of its pivots: [-R_p⁻¹ R_d; I]
/// made orthonormal, p the pivots and d the dependent columns. The triangular solve keeps the digits of components
/// that are tiny because their column of R is large.
template <class Real>
MatrixOf<Real> null_space(const MatrixOf<Real>& upper, const std::vector<Index>& pivots);

/// L J = N diag(sigma), N with orthonormal columns, J orthogonal.
template <class Real>
struct JacobiResult {
  MatrixOf<Real> n;  ///< unit columns, as many as L has (zero where sigma is)
  MatrixOf<Real> j;
  VectorOf<Real> sigma;
};

/// Orthogonalises the columns of L (most usefully the transposed R of a pivoted QR) by plane
/// rotations. Columns are kept as unit vectors times a scale, and a rotation is computed from the ratio of
/// scales and the cosine alone, so columns that differ by 1e300 in size neither underflow nor lose digits:
/// what decides is |cosine| <= tolerance, relative to both columns.
template <class Real>
JacobiResult<Real> one_sided_jacobi(const MatrixOf<Real>& l) {
  using std::abs;
  using std::sqrt;
  const Index columns = l.cols();
  JacobiResult<Real> result{l, MatrixOf<Real>::Identity(columns, columns), VectorOf<Real>(columns)};
  auto& [n, j, sigma] = result;
  for (Index c = 0; c < columns; ++c) {
    sigma(c) = safe_norm(n.col(c));
    if (sigma(c) > Real(0)) n.col(c) /= sigma(c);  // a zero column is orthogonal to all and stays
  }
  // The rounding noise of a cosine of unit vectors of this length.
  const Real tolerance =
      std::numeric_limits<Real>::epsilon() * (Real(4) + sqrt(Real(static_cast<double>(l.rows()))) / Real(2));
  const int most_sweeps = 60;  // 5 to 10 suffice in practice; convergence is quadratic at the end
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    bool rotated = false;
    for (Index first = 0; first + 1 < columns; ++first) {
      for (Index second = first + 1; second < columns; ++second) {
        const Real cosine = n.col(first).dot(n.col(second));
        const bool in_order = sigma(first) >= sigma(second);
        const Index x = in_order ? first : second;  // the larger column
        const Index y = in_order ? second : first;
        if (!(sigma(y) > Real(0))) continue;
        const Real ratio = sigma(y) / sigma(x);
        // Orthogonal to rounding once |cosine| <= tolerance; rotations down to tolerance x ratio are made all
        // the same (not counted, so they cannot prolong the loop): they give the small column's components
        // along large ones, of size ratio, their digits, and products with the graded matrix need those.
        if (abs(cosine) <= tolerance * ratio) continue;
        if (abs(cosine) > tolerance) rotated = true;
        // tan of the angle is ratio x tau; written so that ratio -> 0 is harmless.
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
        for (Index i = 0; i < columns; ++i) {
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

// Compiled once, in polar.cpp: copies in other files may round differently, and which one a program gets
// would depend on what else is linked into it.
extern template JacobiResult<double> one_sided_jacobi<double>(const Matrix&);

struct Svd {
  Matrix u, v;
  Vector sigma;
};

/// R = U Σ Vᵀ of a matrix with no more rows than columns, σ descending, by Eigen's divide and conquer; nothing
/// where |R V - U Σ| is more than rounding. About once in ten thousand matrices Eigen 3.4 returns, without
/// notice, singular values and vectors that are per cents off (tests/sim/svd_slip.cpp has one), so nothing it
/// says is taken on trust.
std::optional<Svd> checked_svd(const Matrix& r);

/// The singular values alone, descending; nothing where Σσ² or Σσ⁴ is not ‖R‖² or ‖RᵀR‖² to rounding.
std::optional<Vector> checked_singular_values(const Matrix& r);

}  // namespace rarefact
