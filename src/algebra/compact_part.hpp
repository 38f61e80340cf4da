#pragma once

/// The trivial part of a symmetric matrix without zero columns, and with one row in place of proportional
/// rows of the groups of such columns. Rows √m_i b equal √(Σm) b up to an orthogonal transformation, so
/// functions of singular values can be computed from the smaller part.

#include "algebra/symmetric_matrix.hpp"

namespace rarefact {

template <class Real>
class CompactPart {
 public:
  explicit CompactPart(const SymmetricMatrix<Real>& x) : rows_(x.structure().rows()) {
    const GroupStructure& s = x.structure();
    const GroupTypes& columns = s.column_types();
    std::vector<char> zero(static_cast<std::size_t>(s.groups()), true);
    kept_.reserve(static_cast<std::size_t>(s.columns()));
    for (Index c = 0; c < s.columns(); ++c) {
      if (x.off_entries().col(c).isZero(0) && x.diagonal_column(c).isZero(0)) continue;
      kept_.push_back(c);
      zero[columns.group(c)] = false;
    }
    columns_ = s.columns();
    if (!smaller()) return;
    for (Index row = 0; row < rows_; ++row) {
      const bool alike = zero[s.row_types().group(row)];
      const Index first = alike_.empty() ? row : alike_.front();
      if (alike && x.off_entries().row(row) == x.off_entries().row(first)) {
        alike_.push_back(row);
      } else {
        single_.push_back(row);
      }
    }
    share_ = s.template numbers<Real>(GroupStructure::Side::rows)(alike_).cwiseSqrt();
    if (share_.size() > 0) share_ /= safe_norm(share_);
  }

  /// True if the reduced part is smaller.
  bool smaller() const { return static_cast<Index>(kept_.size()) < columns_; }
  bool empty() const { return kept_.empty(); }

  MatrixOf<Real> reduced(const MatrixOf<Real>& part) const {
    MatrixOf<Real> small(height(), static_cast<Index>(kept_.size()));
    for (Index c = 0; c < small.cols(); ++c) {
      const auto column = part.col(kept_[c]);
      for (std::size_t r = 0; r < single_.size(); ++r) small(static_cast<Index>(r), c) = column(single_[r]);
      if (!alike_.empty()) small(height() - 1, c) = column(alike_.back()) / share_(share_.size() - 1);
    }
    return small;
  }
  VectorOf<Real> reduced(const VectorOf<Real>& of_columns) const {
    VectorOf<Real> small(static_cast<Index>(kept_.size()));
    for (Index c = 0; c < small.size(); ++c) small(c) = of_columns(kept_[c]);
    return small;
  }
  MatrixOf<Real> expanded(const MatrixOf<Real>& small) const {
    MatrixOf<Real> part = MatrixOf<Real>::Zero(rows_, columns_);
    for (Index c = 0; c < small.cols(); ++c) {
      auto column = part.col(kept_[c]);
      for (std::size_t r = 0; r < single_.size(); ++r) column(single_[r]) = small(static_cast<Index>(r), c);
      for (std::size_t r = 0; r < alike_.size(); ++r)
        column(alike_[r]) = small(height() - 1, c) * share_(static_cast<Index>(r));
    }
    return part;
  }

 private:
  Index height() const { return static_cast<Index>(single_.size()) + (alike_.empty() ? 0 : 1); }

  Index rows_, columns_ = 0;
  std::vector<Index> kept_;            // columns that are not zero
  std::vector<Index> single_, alike_;  // rows
  VectorOf<Real> share_;               // share of each proportional row in the row that represents them
};

}  // namespace rarefact
