#include "algebra/product.hpp"

#include <algorithm>

#include "core/real50.hpp"

namespace rarefact {

namespace {

Index panels_of(Index count, Index width) {
  return (count + width - 1) / width;
}

/// Rows of A that are multiplied by all columns of B before the next rows, so that they stay in the
/// second-level cache.
constexpr Index resident_rows = 192;

/// Thread-local scratch: a packed panel of B and the range where it is not zero.
template <class Real>
struct Scratch {
  std::vector<Real> panels;
  static Scratch& of_thread() {
    static thread_local Scratch scratch;
    return scratch;
  }
};

/// out[k x width + i] = entry (i, k) of the panel that begins at row `first`; zero beyond the end. Walks
/// along whichever direction is contiguous in memory.
template <class Real>
void pack_panel(const MatrixView<Real>& x, Index first, Index width, Index begin, Index depth, Real* out) {
  const Index present = std::min(width, x.rows - first);
  const Real* from = x.data + first * x.row_stride + begin * x.column_stride;
  if (present < width) std::fill_n(out, width * depth, Real(0));
  if (x.row_stride == 1) {
    // By fours, because a call for each column would take longer than copying it.
    using Four = Eigen::Array<Real, 4, 1>;
    for (Index k = 0; k < depth; ++k) {
      const Real* const column = from + k * x.column_stride;
      Real* const to = out + k * width;
      Index i = 0;
      for (; i + 4 <= present; i += 4) Eigen::Map<Four>(to + i) = Eigen::Map<const Four>(column + i);
      for (; i < present; ++i) to[i] = column[i];
    }
    return;
  }
  const Index strip = 16;
  for (Index k = 0; k < depth; k += strip) {
    const Index last = std::min(k + strip, depth);
    for (Index i = 0; i < present; ++i) {
      const Real* row = from + i * x.row_stride;
      for (Index j = k; j < last; ++j) out[j * width + i] = row[j * x.column_stride];
    }
  }
}

/// Calls f with the matrix as an Eigen map whose columns or rows are contiguous.
template <class Real, class Function>
void with_matrix(const MatrixView<Real>& x, const Function& f) {
  using Map = Eigen::Map<const MatrixOf<Real>, 0, Eigen::OuterStride<>>;
  if (x.row_stride == 1) return f(Map(x.data, x.rows, x.columns, Eigen::OuterStride<>(x.column_stride)));
  f(Map(x.data, x.columns, x.rows, Eigen::OuterStride<>(x.row_stride)).transpose());
}

}  // namespace

template <class Real>
typename PackedFactor<Real>::Range PackedFactor<Real>::nonzero(const Real* packed, Index depth, Index width) {
  const auto zero = [&](Index k) {
    return std::all_of(packed + k * width, packed + (k + 1) * width, [](Real x) { return x == Real(0); });
  };
  Range range{0, depth};
  while (range.first < depth && zero(range.first)) ++range.first;
  while (range.last > range.first && zero(range.last - 1)) --range.last;
  return range;
}

template <class Real>
PackedFactor<Real>::PackedFactor(const MatrixView<Real>& a, const Workers& workers,
                                 const ProductKernel<Real>& kernel)
    : kernel_(&kernel), rows_(a.rows), depth_(a.columns) {
  const Index width = kernel.rows, panels = panels_of(rows_, width),
              chunks = panels_of(depth_, product_chunk);
  entries_ = std::make_unique_for_overwrite<Real[]>(static_cast<std::size_t>(panels * width * depth_));
  ranges_.resize(static_cast<std::size_t>(panels * chunks));
  const Index panels_at_once = 8;
  workers.for_tiles(panels, panels_at_once, [&](Index begin, Index end) {
    for (Index chunk = 0; chunk < chunks; ++chunk) {
      const Index from = chunk * product_chunk, depth = std::min(product_chunk, depth_ - from);
      for (Index p = begin; p < end; ++p) {
        Real* out = entries_.get() + from * panels * width + p * depth * width;
        pack_panel(a, p * width, width, from, depth, out);
        ranges_[chunk * panels + p] = nonzero(out, depth, width);
      }
    }
  });
}

template <class Real>
void PackedFactor<Real>::times(const MatrixView<Real>& b, Real* c, Index c_stride, Index first_row) const {
  const Index first = kernel_ ? first_row / kernel_->rows * kernel_->rows : 0;
  for (Index j = 0; j < b.columns; ++j) std::fill_n(c + j * c_stride + first, rows_ - first, Real(0));
  add_times(b, c, c_stride, first_row);
}

template <class Real>
void PackedFactor<Real>::add_times(const MatrixView<Real>& b, Real* c, Index c_stride,
                                   Index first_row) const {
  const Index height = kernel_->rows, width = kernel_->columns;
  const Index panels = panels_of(rows_, height), right_panels = panels_of(b.columns, width);
  const Index panels_at_once = std::max<Index>(1, resident_rows / height);
  std::vector<Real>& packed = Scratch<Real>::of_thread().panels;
  packed.resize(static_cast<std::size_t>(right_panels * width * product_chunk));
  std::vector<Range> right_ranges(static_cast<std::size_t>(right_panels));
  alignas(64) Real edge[max_kernel_rows * max_kernel_columns];
  for (Index from = 0; from < depth_; from += product_chunk) {
    const Index depth = std::min(product_chunk, depth_ - from);
    for (Index q = 0; q < right_panels; ++q) {
      Real* out = packed.data() + q * depth * width;
      pack_panel(b.transposed(), q * width, width, from, depth, out);
      right_ranges[q] = nonzero(out, depth, width);
    }
    const Real* chunk = entries_.get() + from * panels * height;
    const Range* ranges = ranges_.data() + from / product_chunk * panels;
    for (Index resident = first_row / height; resident < panels; resident += panels_at_once) {
      for (Index q = 0; q < right_panels; ++q) {
        const Range right = right_ranges[q];
        for (Index p = resident; p < std::min(panels, resident + panels_at_once); ++p) {
          const Index first = std::max(ranges[p].first, right.first);
          const Index last = std::min(ranges[p].last, right.last);
          if (first >= last) continue;
          const Real* left_entries = chunk + p * depth * height + first * height;
          const Real* right_entries = packed.data() + q * depth * width + first * width;
          const Index row = p * height, column = q * width;
          const Index rows = std::min(height, rows_ - row), columns = std::min(width, b.columns - column);
          Real* out = c + row + column * c_stride;
          if (rows == height && columns == width) {
            kernel_->add_block(last - first, left_entries, right_entries, out, c_stride);
            continue;
          }
          std::fill_n(edge, height * width, Real(0));
          kernel_->add_block(last - first, left_entries, right_entries, edge, height);
          for (Index j = 0; j < columns; ++j) {
            for (Index i = 0; i < rows; ++i) out[i + j * c_stride] += edge[i + j * height];
          }
        }
      }
    }
  }
}

Index product_tile(Index columns, int threads) {
  const Index widest = 128, multiple = 8;
  if (threads <= 1) return std::min(columns, widest);
  // The same number of tiles for every thread.
  const Index rounds = panels_of(columns, threads * widest);
  return panels_of(panels_of(columns, rounds * threads), multiple) * multiple;
}

namespace {

using Four = Eigen::Array4d;

/// A block of A B, `vectors` x `columns`, kept in registers. A is column-major, padded to whole vectors; of the
/// block's rows `rows` exist.
template <Index vectors, Index columns>
void small_block(const MatrixView<double>& a, const MatrixView<double>& b, Index rows, double* c,
                 Index c_stride, bool add) {
  Four sum[columns][vectors];
  for (auto& column : sum)
    for (Four& part : column) part.setZero();
#pragma GCC unroll 4
  for (Index k = 0; k < a.columns; ++k) {
    const double *left = a.data + k * a.column_stride, *right = b.data + k * b.row_stride;
    for (Index j = 0; j < columns; ++j) {
      for (Index i = 0; i < vectors; ++i)
        sum[j][i] += Eigen::Map<const Four>(left + 4 * i) * right[j * b.column_stride];
    }
  }
  if (rows >= 4 * vectors) {
    for (Index j = 0; j < columns; ++j) {
      for (Index i = 0; i < vectors; ++i) {
        Eigen::Map<Four> out(c + j * c_stride + 4 * i);
        out = add ? Four(out + sum[j][i]) : sum[j][i];
      }
    }
    return;
  }
  double whole[columns][4 * vectors];
  for (Index j = 0; j < columns; ++j) {
    for (Index i = 0; i < vectors; ++i) Eigen::Map<Four>(whole[j] + 4 * i) = sum[j][i];
  }
  for (Index j = 0; j < columns; ++j, c += c_stride) {
    for (Index i = 0; i < rows; ++i) c[i] = add ? c[i] + whole[j][i] : whole[j][i];
  }
}

template <Index columns>
void small_columns(MatrixView<double> a, const MatrixView<double>& b, Index rows, double* c, Index c_stride,
                   bool add) {
  for (; rows > 4; rows -= 8, a.data += 8, c += 8) small_block<2, columns>(a, b, rows, c, c_stride, add);
  if (rows > 0) small_block<1, columns>(a, b, rows, c, c_stride, add);
}

/// The matrix column by column, padded with zeros to `height`, a multiple of 4. Four more numbers are written.
void pad_columns(const MatrixView<double>& a, Index height, double* out) {
  for (Index k = 0; k < a.columns; ++k, out += height) {
    const double* from = a.data + k * a.column_stride;
    Eigen::Map<Four>(out + a.rows).setZero();
    if (a.row_stride == 1 && a.rows >= 4) {
      for (Index i = 0; i + 4 <= a.rows; i += 4) Eigen::Map<Four>(out + i) = Eigen::Map<const Four>(from + i);
      const Index last = a.rows - 4;
      Eigen::Map<Four>(out + last) = Eigen::Map<const Four>(from + last);
    } else {
      for (Index i = 0; i < a.rows; ++i) out[i] = from[i * a.row_stride];
    }
  }
}

/// Product of factors in the first-level cache, without packing. Every entry is the chain of fused operations
/// that PackedFactor defines.
void small_product(const MatrixView<double>& a, const MatrixView<double>& b, double* c, Index c_stride,
                   bool add) {
  const Index height = (a.rows + 3) / 4 * 4;
  double left[small_side * small_side + 4];
  MatrixView<double> whole = a;
  if (a.row_stride != 1 || a.rows != height) {
    pad_columns(a, height, left);
    whole = {left, height, a.columns, 1, height};
  }
  for (Index j = 0; j < b.columns; j += 4) {
    const Index count = std::min<Index>(4, b.columns - j);
    const MatrixView<double> right = b.middle_columns(j, count);
    double* const to = c + j * c_stride;
    if (count == 4) small_columns<4>(whole, right, a.rows, to, c_stride, add);
    if (count == 3) small_columns<3>(whole, right, a.rows, to, c_stride, add);
    if (count == 2) small_columns<2>(whole, right, a.rows, to, c_stride, add);
    if (count == 1) small_columns<1>(whole, right, a.rows, to, c_stride, add);
  }
}

template <class Real>
void eigen_product(const MatrixView<Real>& a, const MatrixView<Real>& b, Real* c, Index c_stride, bool add) {
  Eigen::Map<MatrixOf<Real>, 0, Eigen::OuterStride<>> out(c, a.rows, b.columns,
                                                          Eigen::OuterStride<>(c_stride));
  with_matrix(a, [&](const auto& left) {
    with_matrix(b, [&](const auto& right) {
      if (add) {
        out.noalias() += left * right;
      } else {
        out.noalias() = left * right;
      }
    });
  });
}

}  // namespace

template <class Real>
void multiply(const MatrixView<Real>& a, const MatrixView<Real>& b, Real* c, Index c_stride,
              const Workers& workers, bool add) {
  if constexpr (std::is_same_v<Real, double>) {
    if (std::max({a.rows, a.columns, b.columns}) <= small_side) return small_product(a, b, c, c_stride, add);
  }
  if constexpr (!std::is_same_v<Real, Real50>) {
    // Packing takes longer than it saves for few rows or columns, and for matrices that fit the caches.
    const Index narrow = 16, cached = 96;
    if (std::min({a.rows, a.columns, b.columns}) > narrow &&
        a.rows * a.columns * b.columns > cached * cached * cached) {
      const PackedFactor<Real> factor(a, workers);
      return workers.for_tiles(
          b.columns, product_tile(b.columns, workers.threads()), [&](Index begin, Index end) {
            const MatrixView<Real> right = b.middle_columns(begin, end - begin);
            Real* const out = c + begin * c_stride;
            add ? factor.add_times(right, out, c_stride) : factor.times(right, out, c_stride);
          });
    }
  }
  const Index tile = 96;
  workers.for_tiles(b.columns, tile, [&](Index begin, Index end) {
    eigen_product(a, b.middle_columns(begin, end - begin), c + begin * c_stride, c_stride, add);
  });
}

template class PackedFactor<double>;
template class PackedFactor<float>;

template void multiply(const MatrixView<double>&, const MatrixView<double>&, double*, Index, const Workers&,
                       bool);
template void multiply(const MatrixView<float>&, const MatrixView<float>&, float*, Index, const Workers&,
                       bool);
template void multiply(const MatrixView<Real50>&, const MatrixView<Real50>&, Real50*, Index, const Workers&,
                       bool);

}  // namespace rarefact
