#pragma once

/// Plane rotations that make columns orthogonal (one-sided Jacobi).

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

}  // namespace rarefact
