#pragma once

/// The numbers of a matrix as planes, column by column, whatever the algebra; entrywise operations walk along them.

#include <vector>

#include "algebra/algebra.hpp"
#include "algebra/symmetric_matrix.hpp"

namespace rarefact::formula {

/// Where the entries of a plane stand in the matrix.
struct Plane {
  Index rows = 0, columns = 0;
  /// Own blocks side by side: row r of column c is row (c/b)b + r of the matrix. 0: rows are the matrix's.
  Index block = 0;
  /// Where the numbers of each column of the matrix begin, if it has several in this plane or none. Null: one.
  const std::vector<Index>* begin = nullptr;

  Index row(Index r, Index c) const { return block > 0 ? c / block * block + r : r; }
  /// Entries follow one another along the columns, and so do those of any vector.
  bool flat() const { return rows == 1 && block <= 1; }
};

inline std::vector<Plane> planes_of(const DenseMatrix& x) {
  return {{x.entries.rows(), x.entries.cols(), 0}};
}
template <class Real>
std::vector<Plane> planes_of(const SymmetricMatrix<Real>& x) {
  const Index b = x.structure().block, rows = x.structure().rows();
  return {{b, rows, b}, {rows, rows, 0}};
}
/// Columns are the groups; nothing runs along the rows.
inline std::vector<Plane> planes_of(const ColumnMatrix& x) {
  std::vector<Plane> planes = {{1, x.own.size(), 1}, {1, x.other.size(), 1}};
  if (x.middle.size() > 0) planes.push_back({1, x.middle.size(), 1, &x.structure->middle_begin});
  return planes;
}

inline double* numbers_of(DenseMatrix& x, std::size_t) {
  return x.entries.data();
}
template <class Real>
Real* numbers_of(SymmetricMatrix<Real>& x, std::size_t plane) {
  return plane == 0 ? x.own_entries().data() : x.other_entries().data();
}
inline double* numbers_of(ColumnMatrix& x, std::size_t plane) {
  return plane == 0 ? x.own.data() : plane == 1 ? x.other.data() : x.middle.data();
}
template <class M>
const ScalarOf<M>* numbers_of(const M& x, std::size_t plane) {
  return numbers_of(const_cast<M&>(x), plane);
}

/// A matrix of the same algebra and structure with room for this shape; only dense ones ask for it.
inline DenseMatrix zero_like(const DenseMatrix&, Index rows, Index columns) {
  return {Matrix::Zero(rows, columns)};
}
template <class Real>
SymmetricMatrix<Real> zero_like(const SymmetricMatrix<Real>& x, Index, Index) {
  return SymmetricMatrix<Real>(x.shared_structure());
}
/// Nothing is held along the answers: with rows it is a diagonal one, queries x queries.
inline ColumnMatrix zero_like(const ColumnMatrix& x, Index rows, Index) {
  return ColumnMatrix(rows == 0 || is_square(*x.structure) ? x.structure
                                                           : square_columns(x.structure->count));
}

/// Whether a number of a plane is an entry of the matrix: a group of one block has no other block.
template <class M>
bool is_entry(const M&, std::size_t, Index, Index) {
  return true;
}
template <class Real>
bool is_entry(const SymmetricMatrix<Real>& x, std::size_t plane, Index row, Index column) {
  const GroupStructure& s = x.structure();
  const Index i = row / s.block;
  return plane == 0 || i != column / s.block || s.count[static_cast<std::size_t>(i)] > 1;
}

inline bool is_entry(const ColumnMatrix& x, std::size_t plane, Index, Index column) {
  return plane != 1 || x.structure->two_numbers() ||
         x.structure->other_times[static_cast<std::size_t>(column)] > 0;
}

/// Puts zeros where there is no entry.
template <class M>
void clear_unused(M&) {}
template <class Real>
void clear_unused(SymmetricMatrix<Real>& x) {
  const GroupStructure& s = x.structure();
  for (Index i = 0; i < s.groups(); ++i) {
    if (s.count[static_cast<std::size_t>(i)] <= 1) x.other(i, i).setZero();
  }
}
inline void clear_unused(ColumnMatrix& x) {
  const std::vector<double>& times = x.structure->other_times;
  for (std::size_t l = 0; l < times.size(); ++l) {
    if (!(times[l] > 0)) x.other(static_cast<Index>(l)) = 0;
  }
}

}  // namespace rarefact::formula
