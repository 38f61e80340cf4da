#pragma once

/// Loops by vectors of eight doubles, for the baseline of the build and for AVX-512, with the same bytes.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include "core/types.hpp"

namespace rarefact {

/// The first multiple of 8 up to a row, and from a number on.
inline constexpr Index first_of_eight(Index row) {
  return row / 8 * 8;
}
inline constexpr Index whole_eights(Index number) {
  return first_of_eight(number + 7);
}

/// A matrix to be reduced to bidiagonal form, as in EightColumns, and the place for it. It is overwritten.
struct BidiagonalTask {
  double* a;  ///< with columns of zeros up to a multiple of 8
  Index stride, columns;
  double* work;  ///< zeros: 3 `stride` and 2 `columns`, rounded up to a multiple of 8
  double *diagonal, *above;
};

/// Column += part v for every column, then its dot with the next v, over rows begin to end, which are multiples of 8.
struct ColumnChanges {
  double* const*
      columns;  ///< `count` of them, a multiple of 8; the last may be one and the same, with parts of zero
  Index count, begin, end;
  const double *v, *parts, *next_v;
  double* dots;
};

struct EightKernels {
  void (*bidiagonal)(const BidiagonalTask&);
  void (*change_columns)(const ColumnChanges&);
};
/// Those that this processor can run, and those of the instruction set of its products.
std::span<const EightKernels> all_eight_kernels();
const EightKernels& eight_kernels();
/// nullptr if the build has none.
const EightKernels* eight_kernels_avx512();

/// Columns with zeros appended to a multiple of 8 rows, the first number of each aligned to 64 bytes, and more zeros.
class EightColumns {
 public:
  EightColumns(const Matrix& x, Index more) : stride_(whole_eights(x.rows())) {
    const Index places = stride_ * x.cols() + more;
    numbers_ = std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(places + 7));
    data_ = numbers_.get() + (-reinterpret_cast<std::uintptr_t>(numbers_.get()) % 64) / sizeof(double);
    for (Index j = 0; j < x.cols(); ++j) {
      std::copy_n(x.data() + j * x.rows(), x.rows(), column(j));
      std::fill(column(j) + x.rows(), column(j + 1), 0.0);
    }
    std::fill(column(x.cols()), data_ + places, 0.0);
  }
  Index stride() const { return stride_; }
  double* column(Index j) const { return data_ + j * stride_; }

 private:
  Index stride_;
  std::unique_ptr<double[]> numbers_;
  double* data_;
};

}  // namespace rarefact
