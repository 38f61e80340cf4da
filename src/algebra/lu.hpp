#pragma once

/// A square matrix as triangles, and its inverse by products with tiles of them: bytes independent of the number of threads.

#include <functional>
#include <optional>
#include <vector>

#include "algebra/product.hpp"

namespace rarefact {

/// P X = L U with rows pivoted, L a unit lower triangle and U an upper one.
class LuFactors {
 public:
  /// Nothing where a pivot is zero or not finite. With `fills_last` the last column of X counts for nothing: it becomes a
  /// multiple τ of the unit vector y that the others are orthogonal to, so that X⁻ᵀ holds their pseudoinverse beside y/τ.
  /// τ lies between their singular values.
  static std::optional<LuFactors> of(Matrix x, bool fills_last, const Workers& workers);

  /// τ y, or nothing at all.
  const Vector& filled() const { return filled_; }

  /// take(first column, columns of X⁻ᵀ) for every few columns, on some thread.
  void inverse_transposed(const Workers& workers,
                          const std::function<void(Index, const Eigen::Ref<const Matrix>&)>& take) const;

 private:
  explicit LuFactors(Matrix x) : lu_(std::move(x)), swap_(static_cast<std::size_t>(lu_.rows())) {}
  bool factor(Index columns, const Workers& workers);
  void fill_last();
  void swap_rows(Index begin, Index count, Eigen::Ref<Matrix> columns) const;

  Matrix lu_;
  std::vector<Index> swap_;  ///< row i changed places with swap_[i], in ascending order of i
  Vector filled_;
};

}  // namespace rarefact
