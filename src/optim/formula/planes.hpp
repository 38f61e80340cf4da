#pragma once

/// The numbers of a matrix as planes, column by column, for every algebra; entrywise operations iterate over
/// them.

#include <vector>

#include "algebra/operations.hpp"

namespace rarefact::formula {

/// The places of the entries of a plane in the matrix.
struct Plane {
  Index columns = 0, size = 0;
  /// Set for diagonal blocks, whose columns begin at the rows of their group; null: columns of the matrix.
  const GroupStructure* blocks = nullptr;
  /// Diagonal blocks of one entry each.
  bool diagonal = false;
  /// The start of each column, if columns have different lengths in this plane.
  const std::vector<Index>* begins = nullptr;

  /// For column c: its begin among the numbers, its length, and the matrix row of its first entry.
  Index begin(Index c) const {
    return blocks ? blocks->diagonal_column_begin(c) : begins ? (*begins)[c] : c * (size / columns);
  }
  Index rows(Index c) const {
    return blocks ? blocks->row_types().size(group(c)) : begins ? begin(c + 1) - begin(c) : size / columns;
  }
  Index first_row(Index c) const { return blocks ? blocks->row_types().begin(group(c)) : 0; }
  /// True if entries of matrices and vectors are contiguous along the columns.
  bool flat() const { return diagonal || (!blocks && !begins && size == columns); }

 private:
  Index group(Index c) const { return blocks->column_types().group(c); }
};

inline std::vector<Plane> planes_of(const DenseMatrix& x) {
  return {{x.entries.cols(), x.entries.size()}};
}
template <class Real>
std::vector<Plane> planes_of(const SymmetricMatrix<Real>& x) {
  const GroupStructure& s = x.structure();
  const bool diagonal = s.square() && s.diagonal_begin(s.groups()) == s.columns();
  return {{s.columns(), x.diagonal_entries().size(), &s, diagonal}, {s.columns(), x.off_entries().size()}};
}
/// Columns are the groups; there are no vectors along the rows.
inline std::vector<Plane> planes_of(const ColumnMatrix& x) {
  std::vector<Plane> planes = {{x.right.size(), x.right.size(), nullptr, true},
                               {x.wrong.size(), x.wrong.size(), nullptr, true}};
  if (x.shared.size() > 0)
    planes.push_back({x.right.size(), x.shared.size(), nullptr, false, &x.structure->shared_begin});
  return planes;
}

/// The length of a vector along a side; column matrices have none along the answers.
inline Index numbers_along(const DenseMatrix& x, Side side) {
  return side == Side::rows ? x.entries.rows() : x.entries.cols();
}
template <class Real>
Index numbers_along(const SymmetricMatrix<Real>& x, Side side) {
  return x.structure().size(side);
}
inline Index numbers_along(const ColumnMatrix& x, Side side) {
  return side == Side::rows ? 0 : x.structure->groups();
}

/// The number of indices that these numbers represent.
inline double indices_of(const DenseMatrix& x, Side side) {
  return static_cast<double>(numbers_along(x, side));
}
template <class Real>
double indices_of(const SymmetricMatrix<Real>& x, Side side) {
  return x.structure().total(side);
}
inline double indices_of(const ColumnMatrix& x, Side side) {
  return side == Side::rows ? x.structure->answers : x.structure->columns();
}

template <class M>
const ScalarOf<M>* numbers_of(const M& x, std::size_t plane) {
  const ScalarOf<M>* numbers = nullptr;
  M::for_planes(
      [&](const auto& entries) {
        if (plane-- == 0) numbers = entries.data();
      },
      x);
  return numbers;
}
template <class M>
ScalarOf<M>* numbers_of(M& x, std::size_t plane) {
  return const_cast<ScalarOf<M>*>(numbers_of(std::as_const(x), plane));
}

/// True if a number of a plane is an entry: a group of one component has no off-diagonal block with itself.
template <class M>
bool is_entry(const M&, std::size_t, Index) {
  return true;
}
template <class Real>
bool is_entry(const SymmetricMatrix<Real>& x, std::size_t plane, Index at) {
  const GroupStructure& s = x.structure();
  if (plane == 0) return true;
  const Index i = s.row_types().group(at % s.rows());
  return i != s.column_types().group(at / s.rows()) || s.count[i] > 1;
}

/// How often the wrong answers of the stored column l occur that have no number of their own.
inline double wrong_times(const ColumnMatrix& x, Index l) {
  return x.structure->wrong_times[x.stored_groups ? (*x.stored_groups)[l] : l];
}
inline bool is_entry(const ColumnMatrix& x, std::size_t plane, Index at) {
  return plane != 1 || x.structure->two_numbers() || wrong_times(x, at) > 0;
}

/// Sets numbers that are not entries to zero.
template <class M>
void clear_unused(M&) {}
template <class Real>
void clear_unused(SymmetricMatrix<Real>& x) {
  const GroupStructure& s = x.structure();
  for (Index i = 0; i < s.groups(); ++i) {
    if (s.count[i] <= 1) x.off_block(i, i).setZero();
  }
}
inline void clear_unused(ColumnMatrix& x) {
  if (x.structure->two_numbers()) return;
  for (Index l = 0; l < x.wrong.size(); ++l) {
    if (!(wrong_times(x, l) > 0)) x.wrong(l) = 0;
  }
}

}  // namespace rarefact::formula
