#include "algebra/column_matrix.hpp"

#include <limits>
#include <stdexcept>

#include "algebra/centred_columns.hpp"
#include "algebra/polar.hpp"
#include "algebra/symmetric_parts.hpp"

namespace rarefact {

ColumnMatrix with_all_columns(const ColumnMatrix& x) {
  if (!x.stored_groups) return x;
  ColumnMatrix y(x.structure);
  combine(y, 1, 1, x);
  return y;
}

void combine(ColumnMatrix& y, double a, double c, const ColumnMatrix& x) {
  if (y.stored_groups && !column_detail::same_columns(y, x)) y = with_all_columns(y);
  if (column_detail::same_columns(y, x)) return combine<ColumnMatrix>(y, a, c, x);
  if (a != 1) {
    y.right *= a;
    y.wrong *= a;
  }
  for (std::size_t i = 0; i < x.stored_groups->size(); ++i) {
    const auto at = static_cast<Index>(i);
    y.right((*x.stored_groups)[i]) += c * x.right(at);
    y.wrong((*x.stored_groups)[i]) += c * x.wrong(at);
  }
}

namespace {

/// True if every column sums to zero up to rounding, as columns of gradients do.
bool is_centred(const ColumnMatrix& x) {
  const double wrong = x.structure->answers - 1,
               tolerance = rank_tolerance_factor * std::numeric_limits<double>::epsilon();
  return ((x.right + wrong * x.wrong).array().abs() <= tolerance * x.right.array().abs()).all();
}

}  // namespace

SingularValues singular_values(const ColumnMatrix& x) {
  if (x.stored_groups) return singular_values(with_all_columns(x));
  if (!is_square(*x.structure))
    throw std::logic_error("the columns algebra has singular values only for square matrices");
  if (is_centred(x)) {
    const Vector length = x.right - x.wrong;
    return centred_singular_values<double>(x.structure->count, {length.begin(), length.end()});
  }
  if ((x.wrong.array() == 0).all()) {
    SingularValues found;
    for (Index l = 0; l < x.right.size(); ++l)
      if (x.right(l) != 0) found.add(std::abs(x.right(l)), x.structure->count[l]);
    return sorted(found);
  }
  SymmetricMatrix<double> full(
      std::make_shared<const GroupStructure>(GroupStructure::blocks(1, x.structure->count)));
  for (Index j = 0; j < x.right.size(); ++j) {
    full.diagonal_block(j)(0, 0) = x.right(j);
    full.off_entries().col(j).setConstant(x.wrong(j));
    if (x.structure->count[j] <= 1) full.off_block(j, j)(0, 0) = 0;
  }
  return singular_values(full);
}

}  // namespace rarefact
