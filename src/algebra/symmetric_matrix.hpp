#pragma once

/// Matrices that commute with permutations of identical components, stored as few numbers for any number.
///
/// Group i has n_i components, each with h_i types of rows and q_i types of columns, which have multiplicities
/// (group_structure.hpp). The matrix is given by
///   diagonal_block(i)  h_i x q_i   the entries inside a component of group i                       (O_i)
///   off_block(i, j)    h_i x q_j   those between a component of group i and a different one of j   (X_ij)
/// A group of one component has no "different one": off_block(i, i) is kept at zero there. Square blocks of b
/// classes without identical classes are the K x K matrices of K = b Σ n_i classes.

#include "algebra/group_structure.hpp"
#include "algebra/planes.hpp"
#include "algebra/singular_values.hpp"

namespace rarefact {

template <class Real>
class SymmetricPolar;

/// The diagonal block of group i, a view into the diagonal entries.
template <class Real>
Eigen::Map<MatrixOf<Real>> diagonal_block_of(VectorOf<Real>& entries, const GroupStructure& s, Index i) {
  return {entries.data() + s.diagonal_begin(i), s.row_types().size(i), s.column_types().size(i)};
}
template <class Real>
Eigen::Map<const MatrixOf<Real>> diagonal_block_of(const VectorOf<Real>& entries, const GroupStructure& s,
                                                   Index i) {
  return {entries.data() + s.diagonal_begin(i), s.row_types().size(i), s.column_types().size(i)};
}
/// The block of groups (i, j) of an H x Q matrix.
template <class Matrix>
auto group_block(Matrix& x, const GroupStructure& s, Index i, Index j) {
  const GroupTypes &rows = s.row_types(), &columns = s.column_types();
  return x.block(rows.begin(i), columns.begin(j), rows.size(i), columns.size(j));
}

template <class Real>
class SymmetricMatrix {
 public:
  using Scalar = Real;
  using Polar = SymmetricPolar<Real>;

  SymmetricMatrix() = default;
  /// The zero matrix.
  explicit SymmetricMatrix(SharedStructure structure)
      : structure_(std::move(structure)),
        diagonal_entries_(VectorOf<Real>::Zero(structure_->diagonal_begin(structure_->groups()))),
        off_entries_(MatrixOf<Real>::Zero(structure_->rows(), structure_->columns())) {}

  const GroupStructure& structure() const { return *structure_; }
  const SharedStructure& shared_structure() const { return structure_; }

  auto diagonal_block(Index i) { return diagonal_block_of(diagonal_entries_, *structure_, i); }
  auto diagonal_block(Index i) const { return diagonal_block_of(diagonal_entries_, *structure_, i); }
  auto off_block(Index i, Index j) { return group_block(off_entries_, *structure_, i, j); }
  auto off_block(Index i, Index j) const { return group_block(off_entries_, *structure_, i, j); }

  /// Column c, counted over all Q, of the diagonal block of its group.
  Eigen::Map<VectorOf<Real>> diagonal_column(Index c) {
    return {diagonal_entries_.data() + structure_->diagonal_column_begin(c), diagonal_height(c)};
  }
  Eigen::Map<const VectorOf<Real>> diagonal_column(Index c) const {
    return {diagonal_entries_.data() + structure_->diagonal_column_begin(c), diagonal_height(c)};
  }

  /// All diagonal blocks, one after the other and column by column, and all other blocks (H x Q), for entrywise
  /// operations.
  VectorOf<Real>& diagonal_entries() { return diagonal_entries_; }
  const VectorOf<Real>& diagonal_entries() const { return diagonal_entries_; }
  MatrixOf<Real>& off_entries() { return off_entries_; }
  const MatrixOf<Real>& off_entries() const { return off_entries_; }

  SymmetricMatrix like() const {
    SymmetricMatrix y;
    y.structure_ = structure_;
    return y;
  }
  template <class Body, class... M>
  static void for_planes(const Body& body, M&... x) {
    body(x.diagonal_entries()...);
    body(x.off_entries()...);
  }
  void exchange(Archive& archive) { archive(structure_, diagonal_entries_, off_entries_); }

 private:
  Index diagonal_height(Index c) const {
    return structure_->row_types().size(structure_->column_types().group(c));
  }

  SharedStructure structure_;
  VectorOf<Real> diagonal_entries_;
  MatrixOf<Real> off_entries_;
};

namespace symmetric_detail {

using Side = GroupStructure::Side;

/// √(t_b r_a), the weight of an entry in parts and norms. Skipped if all multiplicities are 1.
template <class Real>
class MultiplicityRoots {
 public:
  explicit MultiplicityRoots(const GroupStructure& s) : any_(s.has_multiplicity()) {
    if (!any_) return;
    rows_ = s.row_types().multiplicities<Real>().cwiseSqrt();
    columns_ = s.column_types().multiplicities<Real>().cwiseSqrt();
  }
  bool any() const { return any_; }
  Real times(Index row, Index column, const Real& x) const {
    return any_ ? Real(rows_(row) * x * columns_(column)) : x;
  }
  Real over(Index row, Index column, const Real& x) const {
    return any_ ? Real(x / (rows_(row) * columns_(column))) : x;
  }

 private:
  bool any_;
  VectorOf<Real> rows_, columns_;
};

}  // namespace symmetric_detail

}  // namespace rarefact
