#pragma once

/// The operations of a matrix that update rules use, whatever its storage. Rules are written once against
/// these names.
///
///   combine(Y, a, c, X)       Y <- a Y + c X
///   frobenius_norm(X)
///   mapped(X, f)              entrywise f, f(0) = 0
///   map_in_place(Y, X, f)     entrywise Y <- f(Y, X), f(0, 0) = 0
///   M::Polar                  msgn(X, workers, hint) along a trajectory; for ColumnMatrix only if diagonal
///   singular_values(X)
///
/// Scalars a, c and the entries that f sees are ScalarOf<M>: double, or the Real of SymmetricMatrix<Real>.

#include "algebra/column_matrix.hpp"
#include "algebra/symmetric_parts.hpp"

namespace rarefact {

/// The scalar type of a matrix, in which rules compute their scalars.
template <class M>
using ScalarOf = typename M::Scalar;

/// ‖X‖_F over all entries, with multiplicities, without over- or underflow of their squares.
template <class M>
ScalarOf<M> frobenius_norm(const M& x);

}  // namespace rarefact
