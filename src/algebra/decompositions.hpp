#pragma once

/// Decompositions for the polar factor: QR with column pivoting whose rank decision is relative to every column's
/// own norm, and rotations.

#include <cmath>

#include "algebra/jacobi.hpp"

namespace rarefact {

/// X P = Q R with r independent columns first.
template <class Real>
struct PivotedQr {
  MatrixOf<Real> reflectors;  ///< Q as r reflections I - β v vᵀ, v from row k of column k on
  VectorOf<Real> betas;
  MatrixOf<Real> r;           ///< r x n, columns in the order of X (not permuted)
  std::vector<Index> pivots;  ///< column chosen at each of the r steps

  /// m x r, orthonormal columns.
  MatrixOf<Real> q() const { return q(r.rows()); }
  /// m x n, n >= r: these columns and further orthonormal ones.
  MatrixOf<Real> q(Index n) const {
    const Index m = reflectors.rows();
    MatrixOf<Real> columns = MatrixOf<Real>::Identity(m, n);
    for (Index i = r.rows() - 1; i >= 0; --i) {
      const auto v = reflectors.col(i).tail(m - i);
      auto block = columns.bottomRightCorner(m - i, n - i);
      const VectorOf<Real> w = betas(i) * (block.transpose() * v);
      block -= v * w.transpose();
    }
    return columns;
  }
};

/// Householder QR with column pivoting (largest remaining norm first). A column j whose remainder from row k
/// on satisfies is_noise(a, k, j, norm) is dependent: it never becomes a pivot, even if its remainder
/// (rounding noise of a large column) exceeds an independent small column.
template <class Real, class Noise>
PivotedQr<Real> pivoted_qr(MatrixOf<Real> a, const Noise& is_noise) {
  using std::sqrt;
  const Index m = a.rows(), n = a.cols();
  std::vector<bool> available(static_cast<std::size_t>(n), true);
  PivotedQr<Real> result{
      MatrixOf<Real>::Zero(m, std::min(m, n)), VectorOf<Real>::Zero(std::min(m, n)), {}, {}};
  VectorOf<Real> remaining = column_norms(a);  // norms of the remainders of the columns, updated
  VectorOf<Real> fresh = remaining;  // the value at the last exact computation, to detect lost digits

  Index k = 0;
  while (k < std::min(m, n)) {
    Index pivot = -1;
    for (Index j = 0; j < n; ++j) {
      if (!available[j]) continue;
      if (pivot < 0 || remaining(j) > remaining(pivot)) pivot = j;
    }
    if (pivot < 0) break;
    const Real norm = safe_norm(a.col(pivot).tail(m - k));
    if (is_noise(a, k, pivot, norm)) {
      available[pivot] = false;
      a.col(pivot).tail(m - k).setZero();
      continue;
    }
    // An inaccurate norm must not decide the order: recompute it and choose again.
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
      // Update; recompute if cancellation has lost half of the digits.
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

}  // namespace rarefact
