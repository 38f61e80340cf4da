#pragma once

/// Matrix products whose bytes depend neither on the number of threads nor on the processor.

#include <vector>

#include "algebra/product_kernel.hpp"
#include "core/parallel.hpp"

namespace rarefact {

/// A view of numbers in memory as a matrix: entry (i, j) is at data[i row_stride + j column_stride].
template <class Real>
struct MatrixView {
  const Real* data = nullptr;
  Index rows = 0, columns = 0, row_stride = 1, column_stride = 0;

  MatrixView middle_columns(Index begin, Index count) const {
    return {data + begin * column_stride, rows, count, row_stride, column_stride};
  }
  MatrixView transposed() const { return {data, columns, rows, column_stride, row_stride}; }
};

/// A in A B. An entry of the product is defined as
///
///     (A B)_ij = (s_0 + s_1) + s_2 ...,   s_c = Σ a_ik b_kj over the c-th product_chunk terms, each term one
///                                         fused operation, in ascending order of k,
///
/// so it does not depend on the processor's vector width, on tiles or on threads. Measured: an error of at most 1.6 eps
/// Σ |a_ik b_kj| for 64 x 64, in 12 us on a busy core with AVX2, and 1 eps in 0.3 us for 16 x 16. Zeros at the ends of the
/// rows of a large A and of the columns of B are not multiplied: a triangular factor costs half.
template <class Real>
class PackedFactor {
 public:
  PackedFactor() = default;
  explicit PackedFactor(const MatrixView<Real>& a, const Workers& workers = Workers::serial(),
                        const ProductKernel<Real>& kernel = product_kernel<Real>());

  Index rows() const { return rows_; }
  Index depth() const { return depth_; }

  /// C = A B, C column-major, on the calling thread; cutting B into columns gives the same bytes. Rows above
  /// first_row are not needed (some are computed, since kernels work in blocks): for products known to be
  /// symmetric or triangular.
  void times(const MatrixView<Real>& b, Real* c, Index c_stride, Index first_row = 0) const;
  /// C += A B; the chunks are added to C one by one.
  void add_times(const MatrixView<Real>& b, Real* c, Index c_stride, Index first_row = 0) const;

 private:
  struct Range {
    Index first, last;
  };
  static Range nonzero(const Real* packed, Index depth, Index width);

  void small_times(const MatrixView<Real>& b, Real* c, Index c_stride, Index first_row, bool add) const;

  const ProductKernel<Real>* kernel_ = nullptr;
  Index rows_ = 0, depth_ = 0;
  bool small_ = false;
  VectorOf<Real> entries_;  ///< chunk by chunk of the depth, in panels of kernel rows; `small_`: in one panel
  std::vector<Range> ranges_;  ///< for every panel of every chunk the range that is not zero
};

/// The number of columns of a product per tile: enough tiles to distribute the work evenly, wide enough for
/// the kernel's full speed. Any width gives the same bytes.
Index product_tile(Index columns, int threads);

/// A view of a matrix, of a block of columns or rows, or of the transpose of these.
template <class Dense>
MatrixView<typename Dense::Scalar> view_of(const Dense& x) {
  return {x.data(), x.rows(), x.cols(), x.rowStride(), x.colStride()};
}

/// Rows and columns of a left factor that stays in the caches, up to which packing takes longer than it saves.
inline constexpr Index small_side = 96;

/// C = A B, or C += A B, in tiles of columns of C; C is column-major and overlaps neither factor. By
/// PackedFactor, or by Eigen if the product is narrow or has 50 digits. Compiled once for every scalar type:
/// instantiating Eigen's products takes seconds per pair of expressions.
template <class Real>
void multiply(const MatrixView<Real>& a, const MatrixView<Real>& b, Real* c, Index c_stride,
              const Workers& workers, bool add = false);

template <class Left, class Right>
MatrixOf<typename Left::Scalar> product(const Left& a, const Right& b, const Workers& workers) {
  MatrixOf<typename Left::Scalar> result(a.rows(), b.cols());
  multiply(view_of(a), view_of(b), result.data(), result.rows(), workers);
  return result;
}

/// A B on the calling thread.
template <class Left, class Right>
MatrixOf<typename Left::Scalar> times(const Left& a, const Right& b) {
  return product(a, b, Workers::serial());
}

}  // namespace rarefact
