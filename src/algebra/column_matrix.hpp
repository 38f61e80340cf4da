#pragma once

/// K x N matrices of few distinct numbers a column: own(l) for the likeliest right answers of column l, other(l) for the
/// answers that are nobody's in particular, and numbers in the middle for further right answers and for wrong ones that
/// its query has. Rules that act on each column alone, or entry by entry, never leave this set, so a run costs O(M) a
/// step for M numbers.

#include "algebra/column_structure.hpp"
#include "algebra/polar.hpp"
#include "core/parallel.hpp"

namespace rarefact {

class DiagonalPolar;

struct ColumnMatrix {
  using Scalar = double;
  using Polar = DiagonalPolar;

  SharedColumns structure;
  /// The groups whose columns are held, ascending; every other column is zero. Null: all are held. A gradient
  /// of a few samples holds the queries drawn, and an update by it costs as much as they. Null where there are numbers in
  /// the middle.
  std::shared_ptr<const std::vector<Index>> held;
  Vector own, other;  ///< one number each per group that is held
  Vector middle;      ///< column after column

  ColumnMatrix() = default;
  explicit ColumnMatrix(SharedColumns s)
      : structure(std::move(s)),
        own(Vector::Zero(structure->groups())),
        other(Vector::Zero(structure->groups())),
        middle(Vector::Zero(structure->middles())) {}

  void exchange(Archive& archive) { archive(structure, held, own, other, middle); }
};

/// msgn of diagonal matrices (other = 0), the signs of their entries; std::logic_error of others, which msgn leaves no
/// column matrices.
class DiagonalPolar {
 public:
  ColumnMatrix operator()(const ColumnMatrix& x, const Workers&, const PolarHint& = {}) const;
  void exchange(Archive&) {}
};

/// The same matrix with every column held.
ColumnMatrix all_held(const ColumnMatrix& x);

namespace column_detail {

inline bool same_columns(const ColumnMatrix& x, const ColumnMatrix& y) {
  return x.held == y.held || (x.held && y.held && *x.held == *y.held);
}

/// y <- f(y, x) where y holds all columns and x some.
template <class Function>
void map_some(Vector& y, const std::vector<Index>& held, const Vector& x, Function f) {
  const auto with_zero = [&f](double value) { return f(value, 0.0); };
  Index from = 0;
  for (std::size_t i = 0; i <= held.size(); ++i) {
    const Index to = i < held.size() ? held[i] : y.size();
    y.segment(from, to - from) = y.segment(from, to - from).unaryExpr(with_zero);
    if (i < held.size()) y(to) = f(y(to), x(static_cast<Index>(i)));
    from = to + 1;
  }
}

/// f(value, how many answers share it) for every number of a column. Precondition: the structure says how often.
template <class Function>
void for_column(const ColumnMatrix& x, Index l, Function f) {
  const ColumnStructure& s = *x.structure;
  const auto at = static_cast<std::size_t>(l);
  f(x.own(l), s.own_times[at]);
  f(x.other(l), s.other_times[at]);
  for (Index i = s.middle_begin[at]; i < s.middle_begin[at + 1]; ++i) f(x.middle(i), s.middle_times[i]);
}

}  // namespace column_detail

/// Costs as much as the columns that x holds if a = 1 and y holds all.
void combine(ColumnMatrix& y, double a, double c, const ColumnMatrix& x);

template <class Function>
ColumnMatrix mapped(const ColumnMatrix& x, Function f) {
  ColumnMatrix y;
  y.structure = x.structure;
  y.held = x.held;
  y.own = x.own.unaryExpr(f);
  y.other = x.other.unaryExpr(f);
  y.middle = x.middle.unaryExpr(f);
  return y;
}

template <class Function>
void map_in_place(ColumnMatrix& y, const ColumnMatrix& x, Function f) {
  if (column_detail::same_columns(y, x)) {
    y.own = y.own.binaryExpr(x.own, f);
    y.other = y.other.binaryExpr(x.other, f);
    y.middle = y.middle.binaryExpr(x.middle, f);
    return;
  }
  if (y.held) y = all_held(y);
  if (!x.held) return map_in_place(y, x, f);
  column_detail::map_some(y.own, *x.held, x.own, f);
  column_detail::map_some(y.other, *x.held, x.other, f);
}

/// Of diagonal matrices their entries; else through the symmetric matrix with the same entries: O(M³). Of square matrices alone (square_columns): the numbers of
/// another do not say which answers columns share. std::logic_error there, so who has such a law leaves the spectrum out.
SingularValues singular_values(const ColumnMatrix& x);

}  // namespace rarefact
