#pragma once

/// The triangular factor of a matrix whose rows and columns may both differ widely in size.

#include <vector>

#include "core/types.hpp"

namespace rarefact {

/// Reference norms: the rounding noise of an entry is relative to the smaller of its row's and its column's
/// norm.
template <class Real>
struct EntryNorms {
  VectorOf<Real> rows, columns;
};

/// The norms of the rows and columns of the matrix itself.
template <class Real>
EntryNorms<Real> own_norms(const MatrixOf<Real>& s);

template <class Real>
struct GradedTriangle {
  MatrixOf<Real> r;           ///< r x n, r the rank; columns in the order of S
  std::vector<Index> pivots;  ///< column chosen at each of the r steps
};

/// R with SᵀS = RᵀR, upper triangular in the order of its pivots. By Householder QR with rows sorted by their
/// largest entry and columns pivoted, whose error is relative to every row (Cox and Higham 1998) and to every
/// column. A column is dependent if only noise is left of it, at most 16 eps max(rows, columns) times the
/// reference norms in every entry. S must be finite.
template <class Real>
GradedTriangle<Real> graded_triangle(const MatrixOf<Real>& s, const EntryNorms<Real>& norms);

}  // namespace rarefact
