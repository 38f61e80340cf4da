#pragma once

/// What an update rule may ask of a matrix, whatever its storage. Rules are written once against these names.
///
///   combine(Y, a, c, X)       Y <- a Y + c X
///   frobenius_norm(X)
///   mapped(X, f)              entrywise f, f(0) = 0
///   map_in_place(Y, X, f)     entrywise Y <- f(Y, X), f(0, 0) = 0
///   Polar<M>::type            msgn along a trajectory; absent for ColumnMatrix, which msgn leaves
///   singular_values(X)
///
/// Scalars a, c and the entries that f sees are ScalarOf<M>: double, or the Real of SymmetricMatrix<Real>.

#include "algebra/column_matrix.hpp"
#include "algebra/dense_matrix.hpp"
#include "algebra/dense_polar.hpp"
#include "algebra/symmetric_matrix.hpp"

namespace rarefact {

namespace algebra_detail {

template <class M>
struct Scalar {
  using type = double;
};
template <class Real>
struct Scalar<SymmetricMatrix<Real>> {
  using type = Real;
};

}  // namespace algebra_detail

/// The numbers a matrix is made of; a rule computes its scalars in them.
template <class M>
using ScalarOf = typename algebra_detail::Scalar<M>::type;

template <class M>
struct Polar;
template <>
struct Polar<DenseMatrix> {
  using type = DensePolar;
};
template <class Real>
struct Polar<SymmetricMatrix<Real>> {
  using type = SymmetricPolar<Real>;
};

template <class M>
concept HasPolar = requires {
  typename Polar<M>::type;
};

}  // namespace rarefact
