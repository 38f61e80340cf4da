#pragma once

/// Any matrix, d_out x d_in, entry by entry: the general algebra, and the reference for the others at small
/// K.

#include <memory>

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

/// What is known beforehand of the matrices to come.
struct PolarHint {
  /// Not a matrix in the task basis, whose columns may be of any size and whose singular basis follows the
  /// trajectory: products with unstructured embeddings have mixed the columns.
  bool mixed_columns = false;
  /// A unit vector u with uᵀX = 0 for every X; null where none is known.
  std::shared_ptr<const Vector> left_null = nullptr;
};

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
