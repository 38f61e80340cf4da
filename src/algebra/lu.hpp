#pragma once

/// LU factors of a square matrix, and its inverse by products of tiles; bytes are independent of the number
/// of threads. Small matrices have an inverse without blocking.

#include <functional>
#include <optional>

#include "algebra/product.hpp"

namespace rarefact {

/// P X = L U with rows pivoted, L a unit lower triangle and U an upper one.
class LuFactors {
 public:
  /// nullopt if a pivot is zero.
  static std::optional<LuFactors> of(Matrix x, const Workers& workers);

  /// Calls take(first column, columns of X⁻ᵀ) for blocks of columns, on any thread.
  void inverse_transposed(const Workers& workers,
                          const std::function<void(Index, const Eigen::Ref<const Matrix>&)>& take) const;

 private:
  explicit LuFactors(Matrix x) : lu_(std::move(x)), swap_(static_cast<std::size_t>(lu_.rows())) {}
  bool factor(const Workers& workers);
  void swap_rows(Index begin, Index count, Eigen::Ref<Matrix> columns) const;

  Matrix lu_;
  std::vector<Index> swap_;  ///< row i changed places with swap_[i], in ascending order of i
};

/// The number of rows up to which it takes at most a third of the time of LuFactors on one thread.
inline constexpr Index largest_small_inverse = 128;

/// X⁻ᵀ by Gauss-Jordan elimination with partial pivoting, on this thread; its bytes do not depend on the processor.
/// nullopt if a pivot is zero or not finite.
std::optional<Matrix> small_inverse_transposed(const Matrix& x);

}  // namespace rarefact
