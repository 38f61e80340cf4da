#pragma once

/// K x K matrices whose wrong answers agree within every column: column l holds own(l) on the diagonal and
/// other(l) everywhere else. Rules that act on each column alone, or entry by entry, never leave this set, so
/// a run costs O(M) a step for M groups of equal columns.

#include "algebra/symmetric_parts.hpp"

namespace rarefact {

struct ColumnMatrix {
  using Scalar = double;

  SharedStructure structure;  ///< blocks of 1 x 1
  double classes = 0;         ///< K
  /// The groups whose columns are held, ascending; every other column is zero. Null: all are held. A gradient
  /// of a few samples holds the queries drawn, and an update by it costs as much as they.
  std::shared_ptr<const std::vector<Index>> held;
  Vector own, other;  ///< one number each per group that is held

  ColumnMatrix() = default;
  explicit ColumnMatrix(SharedStructure s)
      : structure(std::move(s)),
        classes(structure->total(GroupStructure::Side::columns)),
        own(Vector::Zero(structure->groups())),
        other(Vector::Zero(structure->groups())) {}

  void exchange(Archive& archive) { archive(structure, classes, held, own, other); }
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

}  // namespace column_detail

/// Costs as much as the columns that x holds if a = 1 and y holds all.
void combine(ColumnMatrix& y, double a, double c, const ColumnMatrix& x);

/// ‖X‖_F = (Σ n_l (own² + (K-1) other²))^½, without overflow.
double frobenius_norm(const ColumnMatrix& x);

template <class Function>
ColumnMatrix mapped(const ColumnMatrix& x, Function f) {
  ColumnMatrix y;
  y.structure = x.structure;
  y.classes = x.classes;
  y.held = x.held;
  y.own = x.own.unaryExpr(f);
  y.other = x.other.unaryExpr(f);
  return y;
}

template <class Function>
void map_in_place(ColumnMatrix& y, const ColumnMatrix& x, Function f) {
  if (column_detail::same_columns(y, x)) {
    y.own = y.own.binaryExpr(x.own, f);
    y.other = y.other.binaryExpr(x.other, f);
    return;
  }
  if (y.held) y = all_held(y);
  if (!x.held) return map_in_place(y, x, f);
  column_detail::map_some(y.own, *x.held, x.own, f);
  column_detail::map_some(y.other, *x.held, x.other, f);
}

/// Through the symmetric matrix with the same entries: O(M³).
SingularValues singular_values(const ColumnMatrix& x);

}  // namespace rarefact
