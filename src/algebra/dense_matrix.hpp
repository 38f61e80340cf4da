#pragma once

/// Any matrix, d_out x d_in, entry by entry: the general algebra, and the reference for the others at small
/// K.

#include "algebra/norm.hpp"
#include "algebra/singular_values.hpp"
#include "core/archive.hpp"

namespace rarefact {

struct DenseMatrix {
  Matrix entries;
  void exchange(Archive& archive) { archive(entries); }
};

inline void combine(DenseMatrix& y, double a, double c, const DenseMatrix& x) {
  y.entries = a * y.entries + c * x.entries;
}

inline double frobenius_norm(const DenseMatrix& x) {
  return safe_norm(x.entries);
}

template <class Function>
DenseMatrix mapped(const DenseMatrix& x, Function f) {
  return {x.entries.unaryExpr(f)};
}

template <class Function>
void map_in_place(DenseMatrix& y, const DenseMatrix& x, Function f) {
  y.entries = y.entries.binaryExpr(x.entries, f);
}

SingularValues singular_values(const DenseMatrix& x);

}  // namespace rarefact
