#include "algebra/column_matrix.hpp"

#include <stdexcept>

#include "algebra/bidiagonal_values.hpp"
#include "algebra/centred_columns.hpp"
#include "algebra/operations.hpp"
#include "core/sorted_order.hpp"

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

/// Groups of columns; neighbours with the same numbers are one group.
struct Groups {
  Vector count, right, wrong;
};

Groups different_groups(const ColumnMatrix& x) {
  Groups groups{Vector(x.right.size()), x.right, x.wrong};
  Index last = -1;
  for (Index l = 0; l < x.right.size(); ++l) {
    if (last >= 0 && groups.right(last) == x.right(l) && groups.wrong(last) == x.wrong(l)) {
      groups.count(last) += x.structure->count[l];
    } else {
      groups.right(++last) = x.right(l);
      groups.wrong(last) = x.wrong(l);
      groups.count(last) = x.structure->count[l];
    }
  }
  for (Vector* numbers : {&groups.count, &groups.right, &groups.wrong}) numbers->conservativeResize(last + 1);
  return groups;
}

/// The singular values of diag(d) + u vᵀ, u > 0, if even the least is far above rounding of `size`. The reflection that
/// maps u to a multiple of a coordinate vector is written out, so that only one row has the size of u vᵀ.
std::optional<Vector> values_of_full_rank(const Vector& d, const Vector& u, const Vector& v, double size) {
  const double norm = safe_norm(u);
  // Digits of short columns need the longest first, and so do those of short rows.
  const auto order = sorted_order(d.size(), std::greater<>(),
                                  [&](Index j) { return std::abs(d(j)) + norm * std::abs(v(j)); });
  Vector w = u(order) / norm;
  Index k = 0;
  w.maxCoeff(&k);
  w(k) += 1;
  const Vector sizes = d(order);
  Matrix reflected = (w / -w(k)) * w.cwiseProduct(sizes).transpose();
  reflected.diagonal() += sizes;
  reflected.row(k) -= norm * v(order).transpose();
  reflected.row(k).swap(reflected.row(0));
  auto values = checked_singular_values(reflected);
  const double far = 1e3 * rank_tolerance<double>(d.size());
  return values && values->minCoeff() >= far * size ? values : std::nullopt;
}

}  // namespace

SingularValues singular_values(const ColumnMatrix& x) {
  if (x.stored_groups) return singular_values(with_all_columns(x));
  if (is_row(*x.structure)) {
    SingularValues found;
    if (const double norm = frobenius_norm(x); norm > 0) found.add(norm, 1);
    return found;
  }
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
  const auto [count, right, wrong] = different_groups(x);
  const Vector root = count.cwiseSqrt(), contrast = right - wrong, beside = root.cwiseProduct(wrong);
  Matrix trivial = root * beside.transpose();
  Vector norms(right.size());
  SingularValues found;
  found.reserve(2 * static_cast<std::size_t>(right.size()));
  for (Index j = 0; j < right.size(); ++j) {
    const double others = count(j) - 1;
    trivial(j, j) = std::abs(right(j)) + others * std::abs(wrong(j));
    norms(j) = safe_norm(trivial.col(j));
    trivial(j, j) = right(j) + others * wrong(j);
    const double value = std::abs(contrast(j)),
                 noise = rank_tolerance<double>(1) * (std::abs(right(j)) + std::abs(wrong(j)));
    if (others > 0 && !(value <= noise)) found.add(value, others);
  }
  std::optional<Vector> values;
  if (right.size() > 1) values = values_of_full_rank(contrast, root, beside, norms.maxCoeff());
  if (!values) values = nonzero_singular_values<double>(trivial, norms);
  for (const double value : *values) found.add(value, 1);
  return sorted(found);
}

}  // namespace rarefact
