#include "algebra/graded_triangle.hpp"

#include <algorithm>
#include <limits>

#include "algebra/decompositions.hpp"
#include "algebra/polar.hpp"
#include "core/real50.hpp"
#include "core/sorted_order.hpp"

namespace rarefact {

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
  if (m == 0) return {MatrixOf<Real>(0, n), {}};
  const VectorOf<Real> largest = s.cwiseAbs().rowwise().maxCoeff();
  const auto order = sorted_order(m, [&](Index i, Index j) { return largest(i) > largest(j); });
  MatrixOf<Real> a = s(order, Eigen::all);
  const VectorOf<Real> row_norms = norms.rows(order);
  const Real tolerance = rank_tolerance(s);
  PivotedQr<Real> qr =
      pivoted_qr<Real>(std::move(a), [&](const MatrixOf<Real>& left, Index k, Index column, const Real&) {
        for (Index i = k; i < m; ++i)
          if (abs(left(i, column)) > tolerance * std::min(row_norms(i), norms.columns(column))) return false;
        return true;
      });
  return {std::move(qr.r), std::move(qr.pivots)};
}

template EntryNorms<double> own_norms(const Matrix&);
template EntryNorms<Real50> own_norms(const MatrixOf<Real50>&);
template GradedTriangle<double> graded_triangle(const Matrix&, const EntryNorms<double>&);
template GradedTriangle<Real50> graded_triangle(const MatrixOf<Real50>&, const EntryNorms<Real50>&);

}  // namespace rarefact
