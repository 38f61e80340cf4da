#pragma once

/// Any matrix, d_out x d_in, entry by entry: the general algebra, and the reference for the others at small
/// K.

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

/// Keeps to PolarTracker in the task basis. Mixed columns are taken by newton_polar, after a reflection that
/// takes the known null vector out; what that refuses, being of lower rank, goes to the tracker as well.
class DensePolar {
 public:
  DenseMatrix operator()(const DenseMatrix& x, const Workers& workers, const PolarHint& hint = {});
  const PolarTracker<double>& tracker() const { return tracker_; }
  void exchange(Archive& archive) { archive(tracker_); }

 private:
  PolarTracker<double> tracker_;
};

}  // namespace rarefact
