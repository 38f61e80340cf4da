#include "algebra/product.hpp"

#include <algorithm>

#include "algebra/four_numbers.hpp"
#include "core/real50.hpp"

namespace rarefact {

namespace {

Index panels_of(Index count, Index width) {
  return (count + width - 1) / width;
}

template <class Real>
bool is_small(const MatrixView<Real>& a) {
  return std::max(a.rows, a.columns) <= small_side;
}

/// The distance of copied columns, so that neighbours do not compete for the same lines of the cache.
Index stride_of(Index rows) {
  return rows % 32 == 0 ? rows + 16 : rows;
}

/// Rows of A that are multiplied by all columns of B before the next rows, so that they stay in the
/// second-level cache.
constexpr Index resident_rows = 192;

/// Thread-local scratch: a packed panel of B and the range where it is not zero.
template <class Real>
struct Scratch {
  VectorOf<Real> panels;
  Real* reserve(Index size) {
    if (panels.size() < size) panels.resize(size);
    return panels.data();
  }
  static Scratch& of_thread() {
    static thread_local Scratch scratch;
    return scratch;
  }
};

/// Four rows of four numbers as columns.
void transpose_block(const double* rows, Index row_stride, double* columns, Index column_stride) {
  const auto row = [=](Index i) { return four_at(rows + i * row_stride); };
  const FourByFour block = transposed(row(0), row(1), row(2), row(3));
  for (Index j = 0; j < 4; ++j) four_at(columns + j * column_stride) = block.vector[j];
}

/// out[k x width + i] = entry (i, k) of the panel that begins at row `first`; zero beyond the end. Walks
/// along whichever direction is contiguous in memory.
template <class Real>
void pack_panel(const MatrixView<Real>& x, Index first, Index width, Index begin, Index depth, Real* out) {
  const Index present = std::min(width, x.rows - first);
  const Real* from = x.data + first * x.row_stride + begin * x.column_stride;
  for (Index k = 0; k < depth && present < width; ++k)
    std::fill_n(out + k * width + present, width - present, Real(0));
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
  Index i = 0;
  if constexpr (std::is_same_v<Real, double>) {
    for (; i + 4 <= present && x.column_stride == 1; i += 4) {
      const Real* const rows = from + i * x.row_stride;
      Index k = 0;
      for (; k + 4 <= depth; k += 4) transpose_block(rows + k, x.row_stride, out + k * width + i, width);
      for (; k < depth; ++k)
        for (Index j = 0; j < 4; ++j) out[k * width + i + j] = rows[j * x.row_stride + k];
    }
  }
  for (; i < present; ++i)
    for (Index k = 0; k < depth; ++k) out[k * width + i] = from[i * x.row_stride + k * x.column_stride];
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
    : kernel_(&kernel), rows_(a.rows), depth_(a.columns), small_(is_small(a)) {
  if (small_) {
    const Index stride = stride_of(kernel.whole(rows_));
    entries_.resize(stride * depth_);
    pack_panel(a, 0, stride, 0, depth_, entries_.data());
    return;
  }
  const Index width = kernel.rows, panels = panels_of(rows_, width),
              chunks = panels_of(depth_, product_chunk);
  entries_.resize(panels * width * depth_);
  ranges_.resize(static_cast<std::size_t>(panels * chunks));
  const Index panels_at_once = 8;
  workers.for_tiles(panels, panels_at_once, [&](Index begin, Index end) {
    for (Index chunk = 0; chunk < chunks; ++chunk) {
      const Index from = chunk * product_chunk, depth = std::min(product_chunk, depth_ - from);
      for (Index p = begin; p < end; ++p) {
        Real* out = entries_.data() + from * panels * width + p * depth * width;
        pack_panel(a, p * width, width, from, depth, out);
        ranges_[chunk * panels + p] = nonzero(out, depth, width);
      }
    }
  });
}

template <class Real>
void PackedFactor<Real>::times(const MatrixView<Real>& b, Real* c, Index c_stride, Index first_row) const {
  if (small_) return small_times(b, c, c_stride, first_row, false);
  const Index first = kernel_ ? first_row / kernel_->rows * kernel_->rows : 0;
  for (Index j = 0; j < b.columns; ++j) std::fill_n(c + j * c_stride + first, rows_ - first, Real(0));
  add_times(b, c, c_stride, first_row);
}

template <class Real>
void PackedFactor<Real>::add_times(const MatrixView<Real>& b, Real* c, Index c_stride,
                                   Index first_row) const {
  if (small_) return small_times(b, c, c_stride, first_row, true);
  const Index height = kernel_->rows, width = kernel_->columns;
  const Index panels = panels_of(rows_, height), right_panels = panels_of(b.columns, width);
  const Index panels_at_once = std::max<Index>(1, resident_rows / height);
  Real* const packed = Scratch<Real>::of_thread().reserve(right_panels * width * product_chunk);
  std::vector<Range> right_ranges(static_cast<std::size_t>(right_panels));
  alignas(64) Real edge[max_kernel_rows * max_kernel_columns];
  for (Index from = 0; from < depth_; from += product_chunk) {
    const Index depth = std::min(product_chunk, depth_ - from);
    for (Index q = 0; q < right_panels; ++q) {
      Real* out = packed + q * depth * width;
      pack_panel(b.transposed(), q * width, width, from, depth, out);
      right_ranges[q] = nonzero(out, depth, width);
    }
    const Real* chunk = entries_.data() + from * panels * height;
    const Range* ranges = ranges_.data() + from / product_chunk * panels;
    for (Index resident = first_row / height; resident < panels; resident += panels_at_once) {
      for (Index q = 0; q < right_panels; ++q) {
        const Range right = right_ranges[q];
        for (Index p = resident; p < std::min(panels, resident + panels_at_once); ++p) {
          const Index first = std::max(ranges[p].first, right.first);
          const Index last = std::min(ranges[p].last, right.last);
          if (first >= last) continue;
          const Real* left_entries = chunk + p * depth * height + first * height;
          const Real* right_entries = packed + q * depth * width + first * width;
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

template <class Real>
void PackedFactor<Real>::small_times(const MatrixView<Real>& b, Real* c, Index c_stride, Index first_row,
                                     bool add) const {
  const Index first = first_row / kernel_->rows * kernel_->rows;
  kernel_->small({rows_ - first, depth_, b.columns, entries_.data() + first, stride_of(kernel_->whole(rows_)),
                  b.data, b.row_stride, b.column_stride, c + first, c_stride, add});
}

Index product_tile(Index columns, int threads) {
  const Index widest = 128, multiple = 8;
  if (threads <= 1) return std::min(columns, widest);
  // The same number of tiles for every thread.
  const Index rounds = panels_of(columns, threads * widest);
  return panels_of(panels_of(columns, rounds * threads), multiple) * multiple;
}

namespace {

/// Products with a small A; only one whose columns are not whole vectors is copied.
template <class Real>
void small_product(const MatrixView<Real>& a, const MatrixView<Real>& b, Real* c, Index c_stride, bool add) {
  const ProductKernel<Real>& kernel = product_kernel<Real>();
  const Index height = kernel.whole(a.rows);
  SmallProduct<Real> of{a.rows,          a.columns, b.columns, a.data, a.column_stride, b.data, b.row_stride,
                        b.column_stride, c,         c_stride,  add};
  if (a.row_stride != 1 || a.rows != height) {
    of.a_stride = stride_of(height);
    Real* const copy = Scratch<Real>::of_thread().reserve(of.a_stride * a.columns);
    pack_panel(a, 0, of.a_stride, 0, a.columns, copy);
    of.a = copy;
  }
  kernel.small(of);
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
  if constexpr (!std::is_same_v<Real, Real50>) {
    if (is_small(a) && b.columns <= small_side) return small_product(a, b, c, c_stride, add);
    // Packing takes longer than it saves for few rows or columns.
    const Index narrow = 16;
    if (is_small(a) || (std::min({a.rows, a.columns, b.columns}) > narrow &&
                        a.rows * a.columns * b.columns > small_side * small_side * small_side)) {
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
