#pragma once

/// Decompositions from Eigen that several rooms use; compiled once, because each takes seconds.

#include "core/types.hpp"

namespace rarefact {

/// X = Q R by Householder reflections, without pivoting.
class HouseholderQr {
 public:
  explicit HouseholderQr(const Matrix& x);
  /// min(rows, columns) x columns, upper triangular; its diagonal may have negative numbers.
  Matrix r() const;
  /// Q₁ y, Q₁ the first columns of Q, as many as y has entries.
  Vector times(const Vector& y) const;
  Matrix q(Index columns) const;

 private:
  Matrix reflectors_;
  Vector coefficients_;
};

/// S = V diag(values) Vᵀ of a symmetric S, of which the lower triangle is read; values ascending.
struct SymmetricEigen {
  Vector values;
  Matrix vectors;
};
SymmetricEigen symmetric_eigen(const Matrix& s);

}  // namespace rarefact
