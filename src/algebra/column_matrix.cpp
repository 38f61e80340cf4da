#include "algebra/column_matrix.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

#include "algebra/centred_columns.hpp"
#include "algebra/polar.hpp"

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
  // The parts of the symmetric matrix with the same entries and their reference norms, as in symmetric_parts.hpp.
  const Vector root = Eigen::Map<const Vector>(x.structure->count.data(), x.right.size()).cwiseSqrt();
  Matrix trivial = (root * x.wrong.transpose()) * root.asDiagonal();
  Vector norms(x.right.size());
  SingularValues found;
  for (Index j = 0; j < x.right.size(); ++j) {
    const double right = x.right(j), wrong = x.wrong(j), others = x.structure->count[j] - 1;
    trivial(j, j) = std::abs(right) + others * std::abs(wrong);
    norms(j) = safe_norm(trivial.col(j));
    trivial(j, j) = right + others * wrong;
    const double contrast = std::abs(right - wrong),
                 noise = rank_tolerance<double>(1) * (std::abs(right) + std::abs(wrong));
    if (others > 0 && !(contrast <= noise)) found.add(contrast, others);
  }
  for (const double value : nonzero_singular_values<double>(trivial, norms)) found.add(value, 1);
  return sorted(found);
}

}  // namespace rarefact
