#pragma once

/// The innermost loop of a matrix product, for the widest vectors of the running processor.

#include <span>

#include "core/types.hpp"

namespace rarefact {

/// The number of terms that are summed before they are added to the entry of the result. Part of the
/// definition of a product, see product.hpp.
inline constexpr Index product_chunk = 256;

/// Factors and result of a small product: C = A B, or C += A B with `add`. The columns of A are whole vectors of the
/// kernel, whatever stands beyond its rows; entry (k, j) of B is at b[k b_row_stride + j b_column_stride].
template <class Real>
struct SmallProduct {
  Index rows = 0, depth = 0, columns = 0;
  const Real* a = nullptr;
  Index a_stride = 0;
  const Real* b = nullptr;
  Index b_row_stride = 0, b_column_stride = 0;
  Real* c = nullptr;
  Index c_stride = 0;
  bool add = false;
};

/// C += A B for a block of A packed as depth x rows and a block of B packed as depth x columns, both without
/// gaps. To every entry of C a sum is added that starts at zero and has one fused multiply-add per term, in
/// ascending order, so that the bytes depend neither on the width of the vectors nor on the shape of the
/// block.
template <class Real>
struct ProductKernel {
  const char* name = nullptr;
  Index rows = 0, columns = 0;  ///< of the block: three vectors of rows
  void (*add_block)(Index depth, const Real* a, const Real* b, Real* c, Index c_stride) = nullptr;
  /// The same sums without packing; the depth is at most product_chunk.
  void (*small)(const SmallProduct<Real>&) = nullptr;

  /// The number of rows of whole vectors.
  Index whole(Index count) const { return (count + rows / 3 - 1) & -(rows / 3); }
};

/// Largest number of rows and columns of a block of any kernel.
inline constexpr Index max_kernel_rows = 48, max_kernel_columns = 8;

/// The kernels that this processor can run, the fastest last; there is always one.
template <class Real>
std::span<const ProductKernel<Real>> product_kernels();

/// The fastest of them, or the one named by the environment variable RAREFACT_KERNEL, to measure the speed on
/// another processor. Throws InputError if it names no such kernel.
template <class Real>
const ProductKernel<Real>& product_kernel();

}  // namespace rarefact
