#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "algebra/four_numbers.hpp"
#include "algebra/lu.hpp"

namespace rarefact {

namespace {

/// Pivots that change the other columns of a block together, and pivots of a block, which changes all other columns by one
/// product: reading and writing a column takes more time than a single pivot's computation.
constexpr Index few = 4, block = 32;
using Indices = std::array<Index, largest_small_inverse>;

/// The elimination of X in place, without moving rows: the pivot of column k is its largest entry in a row r(k) without
/// a pivot. In the end entry (r(k), j) is that of X⁻¹ in row k and column r(j).
class Elimination {
 public:
  explicit Elimination(const Matrix& x)
      : n_(x.rows()), height_((n_ + whole - 1) / whole * whole), t_(stride_of(height_), n_), free_(height_) {
    free_.head(n_).setOnes();
    free_.tail(height_ - n_).setZero();
    t_.bottomRows(t_.rows() - n_).setZero();
    for (Index j = 0; j < n_; ++j) std::copy_n(x.col(j).data(), n_, column(j));
  }

  /// False if a pivot is zero or not finite.
  bool run() { return eliminate(0, n_, n_ > block ? block : few); }

  Matrix inverse_transposed() const {
    Matrix result(n_, n_);
    const auto from = [this](Index i) { return t_.col(column_of_[i]).data(); };
    const auto to = [&](Index r) { return result.col(column_of_[r]).data(); };
    const Index whole_fours = n_ / 4 * 4;
    for (Index i = 0; i < whole_fours; i += 4) {
      for (Index r = 0; r < whole_fours; r += 4) {
        const FourByFour rows = transposed(four_at(from(i) + r), four_at(from(i + 1) + r),
                                           four_at(from(i + 2) + r), four_at(from(i + 3) + r));
        for (Index k = 0; k < 4; ++k) four_at(to(r + k) + i) = rows.vector[k];
      }
    }
    for (Index i = 0; i < n_; ++i)
      for (Index r = i < whole_fours ? whole_fours : 0; r < n_; ++r) to(r)[i] = from(i)[r];
    return result;
  }

 private:
  static constexpr Index whole = 8;  // rows of a vector of any kernel
  /// A distance at which neighbouring columns do not share lines of the cache; 64 x 64 fits the first level as it is.
  static Index stride_of(Index rows) { return rows % 32 == 0 && rows != 64 ? rows + whole : rows; }

  double* column(Index j) { return t_.col(j).data(); }

  /// Columns begin to end, by pieces of `width`.
  bool eliminate(Index begin, Index end, Index width) {
    for (Index at = begin; at < end; at += width) {
      const Index next = std::min(at + width, end);
      if (!(width == few ? eliminate_few(at, next) : eliminate(at, next, few))) return false;
      change(at, next, begin, at);
      change(at, next, next, end);
    }
    return true;
  }

  /// Chooses the pivot of column k.
  bool choose(Index k) {
    const Index height = height_;
    const double* const free = free_.data();
    const double* const x = column(k);
    const auto size = [&](Index i) {
      const Four entries = four_at(x + i);
      return (entries < 0 ? -entries : entries) * four_at(free + i);
    };
    Four most = size(0);
    for (Index i = 4; i < height; i += 4) {
      const Four next = size(i);
      most = next > most ? next : most;
    }
    const double largest = std::max({most[0], most[1], most[2], most[3]});
    if (!(largest > 0 && std::isfinite(largest))) return false;
    Index r = 0;
    while (std::abs(x[r]) * free[r] != largest) ++r;
    free_(r) = 0;
    row_of_[k] = r;
    column_of_[r] = k;
    return true;
  }

  bool eliminate_few(Index begin, Index end) {
    const Index height = height_;  // a copy, which stores to columns cannot change
    for (Index k = begin; k < end; ++k) {
      if (!choose(k)) return false;
      const Index r = row_of_[k];
      double* const x = column(k);
      const double inverse = 1 / std::exchange(x[r], 0);
      std::array<double*, few - 1> y;
      std::array<double, few - 1> f;
      std::size_t others = 0;
      for (Index j = begin; j < end; ++j)
        if (j != k) y[others++] = column(j);
      for (std::size_t c = 0; c < others; ++c) f[c] = y[c][r] *= inverse;
      if (others == y.size()) {
        const auto [y0, y1, y2] = y;
        const auto [f0, f1, f2] = f;
        for (Index i = 0; i < height; i += 4) {
          const Four x_i = four_at(x + i);
          four_at(y0 + i) -= f0 * x_i;
          four_at(y1 + i) -= f1 * x_i;
          four_at(y2 + i) -= f2 * x_i;
        }
      } else {
        for (std::size_t c = 0; c < others; ++c)
          for (Index i = 0; i < height; i += 4) four_at(y[c] + i) -= f[c] * four_at(x + i);
      }
      for (Index i = 0; i < height; i += 4) four_at(x + i) *= -inverse;
      x[r] = inverse;
    }
    return true;
  }

  /// C += P R for columns first to last: R are the rows of the pivots begin to end in C, which become zero, and P their
  /// columns.
  void change(Index begin, Index end, Index first, Index last) {
    if (first >= last) return;
    const Index count = end - begin;
    double* r = rows_.data();
    for (Index j = first; j < last; ++j) {
      double* const x = column(j);
      for (Index k = begin; k < end; ++k) *r++ = std::exchange(x[row_of_[k]], 0);
    }
    if (count == few) return change_by_few(begin, first, last);
    product_kernel<double>().small({height_, count, last - first, column(begin), t_.rows(), rows_.data(), 1,
                                    count, column(first), t_.rows(), true});
  }

  /// Two columns at a time, so that all factors stay in registers.
  void change_by_few(Index begin, Index first, Index last) {
    const Index height = height_;
    const double *a = column(begin), *b = column(begin + 1), *c = column(begin + 2), *d = column(begin + 3);
    const double* r = rows_.data();
    Index j = first;
    for (; j + 1 < last; j += 2, r += 2 * few) {
      double *const x = column(j), *const y = column(j + 1);
      const double f0 = r[0], f1 = r[1], f2 = r[2], f3 = r[3], g0 = r[4], g1 = r[5], g2 = r[6], g3 = r[7];
      for (Index i = 0; i < height; i += 4) {
        const Four a_i = four_at(a + i), b_i = four_at(b + i), c_i = four_at(c + i), d_i = four_at(d + i);
        four_at(x + i) = four_at(x + i) + f0 * a_i + f1 * b_i + f2 * c_i + f3 * d_i;
        four_at(y + i) = four_at(y + i) + g0 * a_i + g1 * b_i + g2 * c_i + g3 * d_i;
      }
    }
    if (j == last) return;
    double* const x = column(j);
    const double f0 = r[0], f1 = r[1], f2 = r[2], f3 = r[3];
    for (Index i = 0; i < height; i += 4)
      four_at(x + i) = four_at(x + i) + f0 * four_at(a + i) + f1 * four_at(b + i) + f2 * four_at(c + i) +
                       f3 * four_at(d + i);
  }

  Index n_, height_;
  Matrix t_;
  Vector free_;  ///< 1 in rows without a pivot, else 0
  Indices row_of_, column_of_;
  std::array<double, block * largest_small_inverse> rows_;
};

}  // namespace

std::optional<Matrix> small_inverse_transposed(const Matrix& x) {
  Elimination elimination(x);
  if (!elimination.run()) return std::nullopt;
  return elimination.inverse_transposed();
}

}  // namespace rarefact
