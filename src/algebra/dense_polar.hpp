#pragma once

/// msgn of dense matrices along a trajectory: which of two ways to it.

#include <memory>
#include <optional>

#include "algebra/dense_matrix.hpp"
#include "algebra/polar_tracker.hpp"

namespace rarefact {

/// What is known beforehand of the matrices to come.
struct PolarHint {
  /// Not a matrix in the task basis, whose columns may be of any size and whose singular basis follows the
  /// trajectory: products with unstructured embeddings have mixed the columns.
  bool mixed_columns = false;
  /// A unit vector u with uᵀX = 0 for every X; null where none is known.
  std::shared_ptr<const Vector> left_null = nullptr;
};

/// Keeps to PolarTracker in the task basis. Mixed columns are taken by halley_polar, after a reflection that
/// takes the known null vector out; what that refuses, being of lower rank, goes to the tracker as well.
class DensePolar {
 public:
  DenseMatrix operator()(const DenseMatrix& x, const Workers& workers, const PolarHint& hint = {});
  const PolarTracker<double>& tracker() const { return tracker_; }
  void exchange(Archive& archive) { archive(tracker_); }

 private:
  PolarTracker<double> tracker_;
};

/// msgn(X) of a matrix with mixed columns; nothing where it has a null vector more than the known one.
std::optional<Matrix> full_rank_polar(const Matrix& x, const Vector* left_null, const Workers& workers);

}  // namespace rarefact
