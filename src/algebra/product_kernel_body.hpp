#pragma once

/// The loop of the kernels, for a vector type of any width. Included by sources that are compiled for
/// different instruction sets: everything here is local to the including source and the standard library is
/// not called, so that functions compiled for wide vectors are never linked into code for other processors.

#include "algebra/product_kernel.hpp"

namespace rarefact {

/// The kernels of an instruction set; null pointers if the build does not have it.
struct KernelSet {
  ProductKernel<double> of_doubles;
  ProductKernel<float> of_floats;
};
const KernelSet* avx2_kernels();
const KernelSet* avx512_kernels();

namespace {

/// A vector of the compiler, with the fused operation of the processor.
template <class Number, int lanes_, int columns_, class Fused>
struct SimdOf {
  using Real = Number;
  static constexpr int lanes = lanes_, columns = columns_;
  typedef Real Vector __attribute__((vector_size(lanes * sizeof(Real))));
  typedef Real Unaligned
      __attribute__((vector_size(lanes * sizeof(Real)), aligned(alignof(Real)), may_alias));
  static Vector load(const Real* x) { return *reinterpret_cast<const Unaligned*>(x); }
  static void store(Real* x, Vector v) { *reinterpret_cast<Unaligned*>(x) = v; }
  static Vector broadcast(Real x) { return x - Vector{}; }  // x + 0 would lose the sign of -0
  static Vector multiply_add(Vector a, Vector b, Vector c) { return Fused::of(a, b, c); }
};

/// Simd: `Real`, `lanes`, `columns` of a block, and load, store, broadcast, fused multiply-add of a vector.
/// Three vectors of rows by `columns` columns stay in registers.
template <class Simd>
void add_block(Index depth, const typename Simd::Real* a, const typename Simd::Real* b,
               typename Simd::Real* c, Index c_stride) {
  constexpr int vectors = 3, columns = Simd::columns, lanes = Simd::lanes;
  typename Simd::Vector sum[columns][vectors];
#pragma GCC unroll 8
  for (int j = 0; j < columns; ++j) {
#pragma GCC unroll 3
    for (int i = 0; i < vectors; ++i) sum[j][i] = typename Simd::Vector{};
  }
  for (Index k = 0; k < depth; ++k) {
    const typename Simd::Vector a0 = Simd::load(a), a1 = Simd::load(a + lanes),
                                a2 = Simd::load(a + 2 * lanes);
#pragma GCC unroll 8
    for (int j = 0; j < columns; ++j) {
      const typename Simd::Vector factor = Simd::broadcast(b[j]);
      sum[j][0] = Simd::multiply_add(a0, factor, sum[j][0]);
      sum[j][1] = Simd::multiply_add(a1, factor, sum[j][1]);
      sum[j][2] = Simd::multiply_add(a2, factor, sum[j][2]);
    }
    a += vectors * lanes;
    b += columns;
  }
#pragma GCC unroll 8
  for (int j = 0; j < columns; ++j) {
#pragma GCC unroll 3
    for (int i = 0; i < vectors; ++i) {
      typename Simd::Real* entry = c + j * c_stride + i * lanes;
      Simd::store(entry, Simd::load(entry) + sum[j][i]);
    }
  }
}

}  // namespace
}  // namespace rarefact
