#pragma once

/// LU factors of a square matrix, and its inverse by products of tiles; bytes are independent of the number
/// of threads.

#include <functional>
#include <optional>
#include <vector>

#include "algebra/product.hpp"

namespace rarefact {

/// P X = L U with rows pivoted, L a unit lower triangle and U an upper one.
class LuFactors {
 public:
  /// nullopt if a pivot is zero or not finite. With `fills_last` the last column of X is ignored and replaced
  /// by τ y, y the unit vector orthogonal to the other columns and τ between their singular values, so that
  /// X⁻ᵀ has their pseudoinverse beside y/τ.
  static std::optional<LuFactors> of(Matrix x, bool fills_last, const Workers& workers);

  /// τ y; empty without fills_last.
  const Vector& filled() const { return filled_; }

  /// Calls take(first column, columns of X⁻ᵀ) for blocks of columns, on any thread.
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
