#pragma once

/// The triangular factor of a matrix whose rows and columns may both differ widely in size.

#include <vector>

#include "core/types.hpp"

namespace rarefact {

/// What the rounding noise of an entry is relative to: the smaller one of its row's and its column's.
template <class Real>
struct EntryNorms {
  VectorOf<Real> rows, columns;
};

/// Norms of the rows and columns themselves.
template <class Real>
EntryNorms<Real> own_norms(const MatrixOf<Real>& s);

template <class Real>
struct GradedTriangle {
  MatrixOf<Real> r;           ///< r x n, r the rank; columns in S's own order
  std::vector<Index> pivots;  ///< column chosen at each of the r steps
};

/// R with SᵀS = RᵀR, upper triangular in the order of its pivots. By
/// Householder QR with rows sorted and columns pivoted by their largest entry, whose error is relative to every row
/// (Cox and Higham 1998) and to every column. A column of which only noise is left, 16 eps max(rows, columns) times its
/// norms in every entry, is dependent. S must be finite.
template <class Real>
GradedTriangle<Real> graded_triangle(const MatrixOf<Real>& s, const EntryNorms<Real>& norms);

}  // namespace rarefact
