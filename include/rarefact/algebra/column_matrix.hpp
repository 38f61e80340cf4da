#pragma once

/// K x K matrices whose wrong answers agree within every column: column l holds own(l) on the diagonal and
/// other(l) everywhere else. Rules that act on each column alone, or entry by entry, never leave this set, so
/// a run costs O(M) a step for M groups of equal columns.

#include <cmath>

#include "rarefact/algebra/group_structure.hpp"
#include "rarefact/algebra/singular_values.hpp"

namespace rarefact {

struct ColumnMatrix {
  SharedStructure structure;  ///< block = 1
  Vector own, other;          ///< one number each per group

  ColumnMatrix() = default;
  explicit ColumnMatrix(SharedStructure s)
      : structure(std::move(s)),
        own(Vector::Zero(structure->groups())),
        other(Vector::Zero(structure->groups())) {}
};

inline void combine(ColumnMatrix& y, double a, double c, const ColumnMatrix& x) {
  y.own = a * y.own + c * x.own;
  y.other = a * y.other + c * x.other;
}

/// ‖X‖_F = (Σ n_l (own² + (K-1) other²))^½, without overflow.
double frobenius_norm(const ColumnMatrix& x);

template <class Function>
ColumnMatrix mapped(const ColumnMatrix& x, Function f) {
  ColumnMatrix y;
  y.structure = x.structure;
  y.own = x.own.unaryExpr(f);
  y.other = x.other.unaryExpr(f);
  return y;
}

template <class Function>
void map_in_place(ColumnMatrix& y, const ColumnMatrix& x, Function f) {
  y.own = y.own.binaryExpr(x.own, f);
  y.other = y.other.binaryExpr(x.other, f);
}

/// Through the symmetric matrix with the same entries: O(M³).
SingularValues singular_values(const ColumnMatrix& x);

}  // namespace rarefact
