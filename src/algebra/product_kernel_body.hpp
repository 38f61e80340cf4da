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

/// A range of terms of a sum outside of which all terms are zero.
struct Terms {
  Index first, last;
};

/// The range of terms left when those at both ends whose factors (`count` numbers at x + k stride) are zero are skipped.
template <class Real>
Terms nonzero(const Real* x, Index depth, Index stride, Index count, Index stride_within) {
  Terms all{0, depth};
  constexpr Index cheap = 16;
  if (depth <= cheap) return all;
  const auto zero = [=](Index k) {
    for (Index i = 0; i < count; ++i)
      if (x[k * stride + i * stride_within] != 0) return false;
    return true;
  };
  while (all.first < depth && zero(all.first)) ++all.first;
  while (all.last > all.first && zero(all.last - 1)) --all.last;
  return all;
}

/// The block of C at a row and a column, of `vectors` x `columns`; what exceeds C is not written.
template <class Simd, int vectors, int columns>
[[gnu::always_inline]] inline void small_block(const SmallProduct<typename Simd::Real>& of, Index row,
                                               Index column, Terms terms) {
  using Real = typename Simd::Real;
  constexpr int lanes = Simd::lanes, height = vectors * lanes;
  const Index count = of.columns - column < columns ? of.columns - column : columns;
  typename Simd::Vector sum[columns][vectors];
  Index place[columns];  // of columns of B; the last one instead of those that it does not have
#pragma GCC unroll 8
  for (int j = 0; j < columns; ++j) {
    place[j] = (column + (j < count ? j : count - 1)) * of.b_column_stride;
#pragma GCC unroll 3
    for (int i = 0; i < vectors; ++i) sum[j][i] = typename Simd::Vector{};
  }
  const Real *a = of.a + row + terms.first * of.a_stride, *b = of.b + terms.first * of.b_row_stride;
#pragma GCC unroll 4
  for (Index k = terms.first; k < terms.last; ++k, a += of.a_stride, b += of.b_row_stride) {
    typename Simd::Vector left[vectors];
#pragma GCC unroll 3
    for (int i = 0; i < vectors; ++i) left[i] = Simd::load(a + i * lanes);
#pragma GCC unroll 8
    for (int j = 0; j < columns; ++j) {
      const typename Simd::Vector factor = Simd::broadcast(b[place[j]]);
#pragma GCC unroll 3
      for (int i = 0; i < vectors; ++i) sum[j][i] = Simd::multiply_add(left[i], factor, sum[j][i]);
    }
  }
  Real* const c = of.c + row + column * of.c_stride;
  if (count == columns && row + height <= of.rows) {
#pragma GCC unroll 8
    for (int j = 0; j < columns; ++j) {
#pragma GCC unroll 3
      for (int i = 0; i < vectors; ++i) {
        Real* const entry = c + j * of.c_stride + i * lanes;
        Simd::store(entry, of.add ? Simd::load(entry) + sum[j][i] : sum[j][i]);
      }
    }
    return;
  }
  Real whole[columns][height];
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < vectors; ++i) Simd::store(whole[j] + i * lanes, sum[j][i]);
  }
  const Index rows = of.rows - row < height ? of.rows - row : height;
  for (Index j = 0; j < count; ++j) {
    Real* const to = c + j * of.c_stride;
    for (Index i = 0; i < rows; ++i) to[i] = of.add ? to[i] + whole[j][i] : whole[j][i];
  }
}

/// Vectors of rows by all columns; `right`: the terms of blocks of columns.
template <class Simd, int vectors>
void small_rows(const SmallProduct<typename Simd::Real>& of, Index row, const Terms* right) {
  const Index height = vectors * Simd::lanes, rows = of.rows - row < height ? of.rows - row : height;
  const Terms left = nonzero(of.a + row, of.depth, of.a_stride, rows, 1);
  const auto both = [&] {
    const Terms of_b = *right++;
    return Terms{left.first > of_b.first ? left.first : of_b.first,
                 left.last < of_b.last ? left.last : of_b.last};
  };
  if (of.columns == 1) return small_block<Simd, vectors, 1>(of, row, 0, both());
  for (Index column = 0; column < of.columns; column += Simd::columns)
    small_block<Simd, vectors, Simd::columns>(of, row, column, both());
}

template <class Simd>
void small_product(const SmallProduct<typename Simd::Real>& of) {
  constexpr Index lanes = Simd::lanes, blocks = 32, at_once = blocks * Simd::columns;
  if (of.columns > at_once) {
    SmallProduct<typename Simd::Real> first = of, rest = of;
    first.columns = at_once;
    rest.columns -= at_once, rest.b += at_once * of.b_column_stride, rest.c += at_once * of.c_stride;
    small_product<Simd>(first);
    return small_product<Simd>(rest);
  }
  Terms right[blocks];
  for (Index j = 0; j < of.columns; j += Simd::columns) {
    const Index count = of.columns - j < Simd::columns ? of.columns - j : Simd::columns;
    right[j / Simd::columns] =
        nonzero(of.b + j * of.b_column_stride, of.depth, of.b_row_stride, count, of.b_column_stride);
  }
  for (Index row = 0; row < of.rows;) {
    // Four vectors as two and two, because one alone would wait for its sums.
    const Index vectors = (of.rows - row + lanes - 1) / lanes;
    if (vectors == 1) {
      small_rows<Simd, 1>(of, row, right);
      row += lanes;
    } else if (vectors == 2 || vectors == 4) {
      small_rows<Simd, 2>(of, row, right);
      row += 2 * lanes;
    } else {
      small_rows<Simd, 3>(of, row, right);
      row += 3 * lanes;
    }
  }
}

template <class Simd>
constexpr ProductKernel<typename Simd::Real> kernel_of(const char* name) {
  return {name, 3 * Simd::lanes, Simd::columns, add_block<Simd>, small_product<Simd>};
}

}  // namespace
}  // namespace rarefact
