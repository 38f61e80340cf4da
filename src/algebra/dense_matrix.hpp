#pragma once

/// Arbitrary d_out x d_in matrices: the general algebra, and for small K the reference for the others.

#include "algebra/polar.hpp"

namespace rarefact {

class DensePolar;

struct DenseMatrix {
  using Scalar = double;
  using Polar = DensePolar;

  Matrix entries;
  void exchange(Archive& archive) { archive(entries); }
};

inline void combine(DenseMatrix& y, double a, double c, const DenseMatrix& x) {
  y.entries = a * y.entries + c * x.entries;
}

template <class Function>
DenseMatrix mapped(const DenseMatrix& x, Function f) {
  return {x.entries.unaryExpr(f)};
}

template <class Function>
void map_in_place(DenseMatrix& y, const DenseMatrix& x, Function f) {
  y.entries = y.entries.binaryExpr(x.entries, f);
}

/// Norms of the columns.
inline Vector column_norms(const Matrix& x) {
  Vector norms(x.cols());
  for (Index j = 0; j < norms.size(); ++j) norms(j) = safe_norm(x.col(j));
  return norms;
}

/// Uses WarmStartPolar in the task basis, and newton_polar for mixed columns, after a reflection that removes
/// the known null vector. Matrices of lower rank, which newton_polar refuses, go to the tracker, too.
class DensePolar {
 public:
  DenseMatrix operator()(const DenseMatrix& x, const Workers& workers, const PolarHint& hint = {});
  const WarmStartPolar<double>& tracker() const { return tracker_; }
  void exchange(Archive& archive) { archive(tracker_); }

 private:
  WarmStartPolar<double> tracker_;
};

}  // namespace rarefact
