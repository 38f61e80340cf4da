#pragma once

/// The innermost loop of a matrix product, in the widest vectors of the processor it finds itself on.

#include <span>

#include "core/types.hpp"

namespace rarefact {

/// Terms of a sum that are added up before they meet the entry of the result. Part of the definition of a
/// product's bytes, see product.hpp.
inline constexpr Index product_chunk = 256;

/// C += A B for a block of A packed as depth x rows and a block of B packed as depth x columns, both without
/// gaps. Every entry of C gains a sum of its own, begun at zero and made of one fused multiplication and
/// addition a term in ascending order: which bytes come out depends neither on the width of the vectors nor
/// on the shape of the block.
template <class Real>
struct ProductKernel {
  const char* name = nullptr;
  Index rows = 0, columns = 0;  ///< of the block
  void (*add_block)(Index depth, const Real* a, const Real* b, Real* c, Index c_stride) = nullptr;
};

/// Most rows and columns of any kernel's block.
inline constexpr Index most_kernel_rows = 48, most_kernel_columns = 8;

/// The kernels this processor can run, the fastest last; there is always one.
template <class Real>
std::span<const ProductKernel<Real>> product_kernels();

/// The fastest of them, or the one that the environment's RAREFACT_KERNEL names: to measure what another processor would do.
/// InputError where it names another.
template <class Real>
const ProductKernel<Real>& product_kernel();

}  // namespace rarefact
