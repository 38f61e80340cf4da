#pragma once

/// Decompositions for the polar factor: QR with column pivoting whose rank decision is relative to every column's
/// own norm, and plane rotations that make columns orthogonal (one-sided Jacobi).

#include <cmath>
#include <numeric>

#include "algebra/padded_columns.hpp"
#include "algebra/singular_values.hpp"

namespace rarefact {

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
/// columns. Four disjoint pairs are rotated at a time. With `sweeps`, the columns become orthogonal only as far as so
/// many visits of every pair make them.
template <class Real>
JacobiResult<Real> one_sided_jacobi(const MatrixOf<Real>& l, const MatrixOf<Real>& beside = {},
                                    int sweeps = 60);

/// X P = Q R with r independent columns first.
template <class Real>
struct PivotedQr {
  MatrixOf<Real> reflectors;  ///< Q as r reflections I - β v vᵀ, v from row k of column k on
  VectorOf<Real> betas;
  MatrixOf<Real> r;           ///< r x n, columns in the order of X (not permuted)
  std::vector<Index> pivots;  ///< column chosen at each of the r steps

  /// m x r, orthonormal columns.
  MatrixOf<Real> q() const {
    const Index m = reflectors.rows(), n = r.rows();
    MatrixOf<Real> columns = MatrixOf<Real>::Identity(m, n);
    for (Index i = n - 1; i >= 0; --i) {
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
/// (rounding noise of a large column) exceeds an independent small column. The `a` of is_noise is the partly reduced X,
/// with rows and a column of zeros appended.
template <class Real, class Noise>
PivotedQr<Real> pivoted_qr(const MatrixOf<Real>& x, const Noise& is_noise) {
  using std::sqrt;
  const Index m = x.rows(), n = x.cols(), most = std::min(m, n);
  MatrixOf<Real> a = with_padding(x, 1);
  const Index height = a.rows();
  std::vector<Index> available(static_cast<std::size_t>(n));
  std::iota(available.begin(), available.end(), Index{0});
  PivotedQr<Real> result{MatrixOf<Real>::Zero(m, most), VectorOf<Real>::Zero(most), {}, {}};
  result.pivots.reserve(static_cast<std::size_t>(most));
  VectorOf<Real> remaining = column_norms(x);  // norms of the remainders of the columns, updated
  VectorOf<Real> fresh = remaining;  // the value at the last exact computation, to detect lost digits
  VectorOf<Real> v = VectorOf<Real>::Zero(height);

  Index k = 0;
  while (k < most && !available.empty()) {
    Index pivot = available.front();
    for (const Index j : available)
      if (remaining(j) > remaining(pivot)) pivot = j;
    v.tail(height - k) = a.col(pivot).tail(height - k);
    const Real norm = safe_norm(v);
    if (is_noise(a, k, pivot, norm)) {
      std::erase(available, pivot);
      a.col(pivot).tail(height - k).setZero();
      continue;
    }
    // An inaccurate norm must not decide the order: recompute it and choose again.
    if (norm < remaining(pivot) / 2) {
      remaining(pivot) = fresh(pivot) = norm;
      if (std::ranges::any_of(available, [&](Index j) { return remaining(j) > norm; })) continue;
    }
    std::erase(available, pivot);
    // Householder vector v (scaled to v_k + ...) with H = I - beta v vᵀ taking the column to (-sign) norm
    // e_k.
    v /= norm;
    const Real sign = v(k) < Real(0) ? Real(-1) : Real(1);
    const Real beta = Real(1) / (Real(1) + sign * v(k));
    v(k) += sign;
    for (std::size_t first = 0; first < available.size(); first += lanes) {
      LaneColumns<Real> columns;
      for (std::size_t c = 0; c < lanes; ++c)
        columns[c] = a.col(first + c < available.size() ? available[first + c] : n).data();
      const Lanes<Real> parts = -beta * dots<Real>(v.data(), columns, lane_begin(k), height);
      add_multiples<Real>(columns, parts, v.data(), lane_begin(k), height);
    }
    for (const Index j : available) {
      if (remaining(j) == Real(0)) continue;
      // Update; recompute if cancellation has lost half of the digits.
      const Real ratio = a(k, j) / remaining(j);
      const Real left = Real(1) - ratio * ratio;
      const Real kept = left > Real(0) ? Real(remaining(j) * sqrt(left)) : Real(0);
      if (kept <= Real(1e-6) * fresh(j)) {
        remaining(j) = fresh(j) = safe_norm(a.col(j).tail(height - k - 1));
      } else {
        remaining(j) = kept;
      }
    }
    a.col(pivot).tail(height - k).setZero();
    a(k, pivot) = -sign * norm;
    result.reflectors.col(k).tail(m - k) = v.segment(k, m - k);
    result.betas(k) = beta;
    result.pivots.push_back(pivot);
    v(k) = Real(0);
    ++k;
  }

  result.r = a.topLeftCorner(k, n);
  return result;
}

/// Orthonormal basis of the null space of R (r x n), upper triangular in the order of its pivots: [-R_p⁻¹ R_d; I]
/// made orthonormal, p the pivots and d the dependent columns. The triangular solve keeps the digits of components
/// that are tiny because their column of R is large.
template <class Real>
MatrixOf<Real> null_space(const MatrixOf<Real>& upper, const std::vector<Index>& pivots);

}  // namespace rarefact
