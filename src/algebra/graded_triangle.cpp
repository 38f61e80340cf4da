#include "algebra/graded_triangle.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "algebra/polar.hpp"
#include "core/real50.hpp"

namespace rarefact {

namespace {

/// Indices of the rows, sorted by their largest entry, descending.
template <class Real>
std::vector<Index> descending_rows(const MatrixOf<Real>& s) {
  const VectorOf<Real> largest = s.cwiseAbs().rowwise().maxCoeff();
  std::vector<Index> order(static_cast<std::size_t>(s.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return largest(a) > largest(b); });
  return order;
}

}  // namespace

template <class Real>
EntryNorms<Real> own_norms(const MatrixOf<Real>& s) {
  EntryNorms<Real> norms{VectorOf<Real>(s.rows()), VectorOf<Real>(s.cols())};
  for (Index i = 0; i < s.rows(); ++i) norms.rows(i) = safe_norm(s.row(i));
  for (Index j = 0; j < s.cols(); ++j) norms.columns(j) = safe_norm(s.col(j));
  return norms;
}

template <class Real>
GradedTriangle<Real> graded_triangle(const MatrixOf<Real>& s, const EntryNorms<Real>& norms) {
  using std::abs;
  const Index m = s.rows(), n = s.cols();
  GradedTriangle<Real> result;
  result.r.resize(0, n);
  if (m == 0) return result;
  MatrixOf<Real> a(m, n);
  VectorOf<Real> row_norms(m);
  const std::vector<Index> order = descending_rows(s);
  for (Index i = 0; i < m; ++i) {
    a.row(i) = s.row(order[i]);
    row_norms(i) = norms.rows(order[i]);
  }
  const Real tolerance = Real(rank_tolerance_factor * static_cast<double>(std::max(m, n))) *
                         std::numeric_limits<Real>::epsilon();
  const auto is_noise = [&](Index k, Index j) {
    for (Index i = k; i < m; ++i) {
      if (abs(a(i, j)) > tolerance * std::min(row_norms(i), norms.columns(j))) return false;
    }
    return true;
  };

  std::vector<Index> available(static_cast<std::size_t>(n));
  std::iota(available.begin(), available.end(), Index{0});
  VectorOf<Real> largest = a.cwiseAbs().colwise().maxCoeff().transpose();
  Index k = 0;
  while (k < m && !available.empty()) {
    const auto at = std::max_element(available.begin(), available.end(),
                                     [&](Index i, Index j) { return largest(i) < largest(j); });
    const Index pivot = *at;
    available.erase(at);
    if (is_noise(k, pivot)) {
      a.col(pivot).tail(m - k).setZero();
      continue;
    }
    // The reflection I - β v vᵀ takes the column to -sign ‖.‖ e_1.
    const Real norm = safe_norm(a.col(pivot).tail(m - k));
    VectorOf<Real> v = a.col(pivot).tail(m - k) / norm;
    const Real sign = v(0) < Real(0) ? Real(-1) : Real(1);
    v(0) += sign;
    const Real beta = Real(1) / abs(v(0));
    for (const Index j : available) {
      auto tail = a.col(j).tail(m - k);
      tail -= (beta * v.dot(tail)) * v;
      largest(j) = k + 1 < m ? a.col(j).tail(m - k - 1).cwiseAbs().maxCoeff() : Real(0);
    }
    a.col(pivot).tail(m - k).setZero();
    a(k, pivot) = -sign * norm;
    result.pivots.push_back(pivot);
    ++k;
  }
  result.r = a.topRows(k);
  return result;
}

template EntryNorms<double> own_norms(const Matrix&);
template EntryNorms<Real50> own_norms(const MatrixOf<Real50>&);
template GradedTriangle<double> graded_triangle(const Matrix&, const EntryNorms<double>&);
template GradedTriangle<Real50> graded_triangle(const MatrixOf<Real50>&, const EntryNorms<Real50>&);

}  // namespace rarefact
