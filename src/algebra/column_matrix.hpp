#pragma once

/// K x N matrices with few numbers per column: right(l) for the most likely right answers of column l,
/// wrong(l) for answers that its query never has, and shared numbers for its further answers. Rules that act
/// on each column alone, or entry by entry, never leave this set, so a step costs O(M) for M numbers.

#include "algebra/column_structure.hpp"
#include "algebra/planes.hpp"
#include "algebra/polar.hpp"

namespace rarefact {

class DiagonalPolar;

struct ColumnMatrix {
  using Scalar = double;
  using Polar = DiagonalPolar;

  SharedColumns structure;
  /// The groups whose columns are stored, ascending; all other columns are zero. Null: all are stored, as
  /// always if there are shared numbers. A gradient of few samples stores only the queries drawn, and the
  /// cost of an update is proportional to their number.
  std::shared_ptr<const std::vector<Index>> stored_groups;
  Vector right, wrong;  ///< one number for each stored group
  Vector shared;        ///< column after column

  ColumnMatrix() = default;
  explicit ColumnMatrix(SharedColumns s)
      : structure(std::move(s)),
        right(Vector::Zero(structure->groups())),
        wrong(Vector::Zero(structure->groups())),
        shared(Vector::Zero(structure->shared_count())) {}

  ColumnMatrix like() const {
    ColumnMatrix y;
    y.structure = structure;
    y.stored_groups = stored_groups;
    return y;
  }
  template <class Body, class... M>
  static void for_planes(const Body& body, M&... x) {
    body(x.right...);
    body(x.wrong...);
    body(x.shared...);
  }
  void exchange(Archive& archive) { archive(structure, stored_groups, right, wrong, shared); }
};

/// msgn of diagonal matrices (wrong = 0), the signs of their entries, and of a row, itself over its norm. Throws
/// std::logic_error for other matrices, whose msgn is not a column matrix.
class DiagonalPolar {
 public:
  ColumnMatrix operator()(const ColumnMatrix& x, const Workers&, const PolarHint& = {}) const;
  void exchange(Archive&) {}
};

/// The same matrix with every column stored.
ColumnMatrix with_all_columns(const ColumnMatrix& x);

namespace column_detail {

inline bool same_columns(const ColumnMatrix& x, const ColumnMatrix& y) {
  return x.stored_groups == y.stored_groups ||
         (x.stored_groups && y.stored_groups && *x.stored_groups == *y.stored_groups);
}

/// y <- f(y, x), where y stores all columns and x some.
template <class Function>
void map_some(Vector& y, const std::vector<Index>& stored_groups, const Vector& x, Function f) {
  const auto with_zero = [&f](double value) { return f(value, 0.0); };
  Index from = 0;
  for (std::size_t i = 0; i <= stored_groups.size(); ++i) {
    const Index to = i < stored_groups.size() ? stored_groups[i] : y.size();
    y.segment(from, to - from) = y.segment(from, to - from).unaryExpr(with_zero);
    if (i < stored_groups.size()) y(to) = f(y(to), x(static_cast<Index>(i)));
    from = to + 1;
  }
}

}  // namespace column_detail

/// If a = 1 and y stores all columns, the cost is proportional to the columns that x stores.
void combine(ColumnMatrix& y, double a, double c, const ColumnMatrix& x);

template <class Function>
void map_in_place(ColumnMatrix& y, const ColumnMatrix& x, const Function& f) {
  if (y.stored_groups && !column_detail::same_columns(y, x)) y = with_all_columns(y);
  if (column_detail::same_columns(y, x)) return map_in_place<ColumnMatrix, Function>(y, x, f);
  column_detail::map_some(y.right, *x.stored_groups, x.right, f);
  column_detail::map_some(y.wrong, *x.stored_groups, x.wrong, f);
}

/// U f(Σ) Vᵀ of a diagonal matrix or a row, f(0) = 0.
ColumnMatrix map_values(const ColumnMatrix& x, const std::function<double(double)>& f);

/// For a diagonal matrix its entries, for a row its norm; otherwise those of the symmetric matrix with the same entries, in O(M³).
/// Throws std::logic_error unless the matrix is square (square_columns), because otherwise the numbers do not
/// determine which answers columns share.
SingularValues singular_values(const ColumnMatrix& x);
inline SingularValues values_of_parts(const ColumnMatrix& x) {
  return singular_values(x);
}

}  // namespace rarefact
