#pragma once

/// A matrix as runs of contiguous numbers, column by column in a fixed order, with the multiplicity of each
/// number in its column and of each column. Norms, sums and inner products loop over runs.
///
///     for_column(c, body, x...)   body(size, times, numbers of each x...); null times: once each
///     for_all(body, x...)         body(size, times, all, numbers...) of the whole matrix: each times·all.number times
///     along(side)                 how often the numbers of a vector count; null: once each
///     diagonal(c)                 the place of the diagonal entry in the first run of column c
///
/// Entries of multiplicity zero, as off_block(i, i) of a group of one component, are in no run. Before changing
/// numbers through runs, store all columns (with_all_columns).

#include "algebra/column_matrix.hpp"
#include "algebra/dense_matrix.hpp"
#include "algebra/reducer.hpp"
#include "algebra/symmetric_matrix.hpp"

namespace rarefact {

template <class M>
class Runs;

template <>
class Runs<DenseMatrix> {
 public:
  explicit Runs(const DenseMatrix& x) : rows_(x.entries.rows()), columns_(x.entries.cols()) {}
  Index columns() const { return columns_; }
  const double* along(Side) const { return nullptr; }
  Index diagonal(Index c) const { return c; }
  template <class Body, class... M>
  void for_column(Index c, const Body& body, M&... x) const {
    body(rows_, along(Side::rows), x.entries.col(c).data()...);
  }
  template <class Body, class... M>
  void for_all(const Body& body, M&... x) const {
    body(rows_ * columns_, along(Side::rows), Times<double>(), x.entries.data()...);
  }

 private:
  Index rows_, columns_;
};

template <class Real>
class Runs<SymmetricMatrix<Real>> {
 public:
  explicit Runs(const SymmetricMatrix<Real>& x)
      : s_(x.structure()),
        rows_(s_.numbers<Real>(Side::rows)),
        columns_(s_.numbers<Real>(Side::columns)),
        others_(s_.numbers<Real>(Side::rows, 1)),
        multiplicity_(s_.row_types().multiplicities<Real>()) {}
  Index columns() const { return columns_.size(); }
  const Real* along(Side side) const { return (side == Side::rows ? rows_ : columns_).data(); }
  Index diagonal(Index c) const { return c - s_.column_types().begin(s_.column_types().group(c)); }
  /// Runs of the entries inside the column's component, then of groups before its own, of its own and after it.
  template <class Body, class... M>
  void for_column(Index c, const Body& body, M&... x) const {
    const Index j = s_.column_types().group(c), first = s_.row_types().begin(j),
                size = s_.row_types().size(j);
    body(size, multiplicity_.data() + first, x.diagonal_column(c).data()...);
    const auto others = [&](Index begin, Index n, const VectorOf<Real>& times) {
      body(n, times.data() + begin, x.off_entries().col(c).data() + begin...);
    };
    others(0, first, rows_);
    if (s_.count[j] > 1) others(first, size, others_);
    others(first + size, rows_.size() - first - size, rows_);
  }
  template <class Body, class... M>
  void for_all(const Body& body, M&... x) const {
    for (Index c = 0; c < columns(); ++c) {
      const Times<Real> all(columns_(c));
      for_column(
          c, [&](Index n, const Real* times, const auto*... at) { body(n, times, all, at...); }, x...);
    }
  }

 private:
  const GroupStructure& s_;
  VectorOf<Real> rows_, columns_, others_, multiplicity_;
};

template <>
class Runs<ColumnMatrix> {
 public:
  /// Only the stored columns.
  explicit Runs(const ColumnMatrix& x) : s_(*x.structure), columns_(x.right.size()), wrong_(s_.answers - 1) {
    if (!x.stored_groups) return;
    for (const Index group : *x.stored_groups) stored_count_.push_back(s_.count[group]);
  }
  Index columns() const { return columns_; }
  const double* along(Side) const { return s_.count.data(); }
  Index diagonal(Index) const { return 0; }
  template <class Body, class... M>
  void for_column(Index c, const Body& body, M&... x) const {
    const bool two = s_.two_numbers();
    body(1, two ? nullptr : &s_.right_times[c], &x.right(c)...);
    if (const double* times = two ? &wrong_ : &s_.wrong_times[c]; *times > 0) body(1, times, &x.wrong(c)...);
    if (two) return;
    const Index begin = s_.shared_begin[c];
    body(s_.shared_begin[c + 1] - begin, s_.shared_times.data() + begin, x.shared.data() + begin...);
  }
  template <class Body, class... M>
  void for_all(const Body& body, M&... x) const {
    if (s_.two_numbers()) {
      body(columns_, count(), Times<double>(), x.right.data()...);
      return body(columns_, count(), Times<double>(wrong_), x.wrong.data()...);
    }
    for (Index c = 0; c < columns(); ++c) {
      const Times<double> all(count()[c]);
      for_column(
          c, [&](Index n, const double* times, const auto*... at) { body(n, times, all, at...); }, x...);
    }
  }

 private:
  const double* count() const { return stored_count_.empty() ? s_.count.data() : stored_count_.data(); }

  const ColumnStructure& s_;
  Index columns_;
  double wrong_;
  std::vector<double> stored_count_;
};

/// Calls body(c, place, size, times, numbers) for every run of every column c, stored or not; `place` is that
/// of the diagonal entry in the run, or -1.
template <class M, class Body>
void for_runs(M& x, const Body& body) {
  if constexpr (std::is_same_v<M, const ColumnMatrix>) {
    if (x.stored_groups) {
      const ColumnMatrix full = with_all_columns(x);
      return for_runs(full, body);
    }
  } else if constexpr (std::is_same_v<M, ColumnMatrix>) {
    if (x.stored_groups) x = with_all_columns(x);
  }
  const Runs<std::remove_const_t<M>> runs(x);
  for (Index c = 0; c < runs.columns(); ++c) {
    Index place = runs.diagonal(c);
    const auto of_column = [&](Index size, const auto* times, auto* at) {
      body(c, place, size, times, at);
      place = -1;
    };
    runs.for_column(c, of_column, x);
  }
}

}  // namespace rarefact
