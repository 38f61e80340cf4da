#include <stdexcept>

#include "algebra/operations.hpp"
#include "algebra/product.hpp"
#include "algebra/symmetric_parts.hpp"
#include "core/real50.hpp"

namespace rarefact {

namespace {

/// The structure of a product; a factor's own structure if it is equal.
SharedStructure product_structure(const SharedStructure& x, const SharedStructure& y) {
  if (y->square()) return x;
  if (x->square()) return y;
  return std::make_shared<const GroupStructure>(x->count, x->row_types(), y->column_types());
}

}  // namespace

template <class Real>
SymmetricMatrix<Real> multiplied(const SymmetricMatrix<Real>& x, const SymmetricMatrix<Real>& y,
                                 const Workers& workers) {
  if (!(x.structure().column_types() == y.structure().row_types()))
    throw std::logic_error("a product of symmetric matrices whose sides differ");
  SymmetricMatrix<Real> z(product_structure(x.shared_structure(), y.shared_structure()));
  const GroupStructure& s = z.structure();
  const GroupTypes& inner = x.structure().column_types();
  // For different groups, T_x T_y gives the entries of the product.
  const MatrixOf<Real> trivial = product(irreducible_parts(x).trivial, irreducible_parts(y).trivial, workers);
  z.off_entries() = s.roots<Real>(Side::rows).cwiseInverse().asDiagonal() * trivial *
                    s.roots<Real>(Side::columns).cwiseInverse().asDiagonal();
  // Columns of group k of x times the multiplicities of their types.
  const auto counted = [&](MatrixOf<Real> block, Index k) {
    for (Index c = 0; inner.has_multiplicity() && c < block.cols(); ++c)
      block.col(c) *= Real(inner.multiplicity(inner.begin(k) + c));
    return block;
  };
  // Within a group Y and A differ by n X, in which a zero X would become rounding noise, so terms are summed
  // instead.
  for (Index i = 0; i < s.groups(); ++i) {
    const Real n(s.count[i]);
    MatrixOf<Real> through_others = MatrixOf<Real>::Zero(s.row_types().size(i), s.column_types().size(i));
    if (through_others.size() == 0) continue;
    for (Index k = 0; k < s.groups(); ++k) {
      if (k == i || inner.size(k) == 0) continue;
      const Real count(s.count[k]);
      // The usual case, for which matrices of one entry would take most of the time.
      if (through_others.size() == 1 && inner.size(k) == 1) {
        const Real alike(inner.multiplicity(inner.begin(k)));
        through_others(0, 0) += Real(count * x.off_block(i, k)(0, 0)) * alike * y.off_block(k, i)(0, 0);
        continue;
      }
      through_others += times(counted(count * x.off_block(i, k), k), y.off_block(k, i));
    }
    z.diagonal_block(i) = through_others;
    z.off_block(i, i).setZero();
    if (n > Real(1)) z.off_block(i, i) = through_others;
    if (inner.size(i) == 0) continue;
    const MatrixOf<Real> inside = counted(x.diagonal_block(i), i);
    z.diagonal_block(i) = times(inside, y.diagonal_block(i)) + through_others;
    if (!(n > Real(1))) continue;
    const MatrixOf<Real> between = counted(x.off_block(i, i), i);
    const MatrixOf<Real> both = times(between, y.off_block(i, i));
    z.diagonal_block(i) += (n - Real(1)) * both;
    z.off_block(i, i) = times(inside, y.off_block(i, i)) + times(between, y.diagonal_block(i)) +
                        (n - Real(2)) * both + through_others;
  }
  return z;
}

template <class Real>
VectorOf<Real> multiplied(const SymmetricMatrix<Real>& x, const VectorOf<Real>& v) {
  const GroupStructure& s = x.structure();
  const GroupTypes& types = s.column_types();
  VectorOf<Real> result = VectorOf<Real>::Zero(s.rows());
  for (Index j = 0; j < v.size(); ++j) {
    const Index group = types.group(j), first = s.row_types().begin(group),
                height = s.row_types().size(group);
    const Real alike = Real(types.multiplicity(j)) * v(j), components(s.count[group]);
    VectorOf<Real> column = components * alike * x.off_entries().col(j);
    column.segment(first, height) =
        alike *
        (x.diagonal_column(j) + (components - Real(1)) * x.off_entries().col(j).segment(first, height));
    result += column;
  }
  return result;
}

template <class Real>
SymmetricMatrix<Real> transposed(const SymmetricMatrix<Real>& x) {
  SymmetricMatrix<Real> y(with_sides(x.shared_structure(), Side::columns, Side::rows));
  y.off_entries() = x.off_entries().transpose();
  for (Index i = 0; i < x.structure().groups(); ++i) {
    y.diagonal_block(i) = x.diagonal_block(i).transpose();
    if (x.structure().count[i] <= 1) y.off_block(i, i).setZero();
  }
  return y;
}

#define RAREFACT_OPERATIONS(Real)                                                                       \
  template SymmetricMatrix<Real> multiplied(const SymmetricMatrix<Real>&, const SymmetricMatrix<Real>&, \
                                            const Workers&);                                            \
  template VectorOf<Real> multiplied(const SymmetricMatrix<Real>&, const VectorOf<Real>&);              \
  template SymmetricMatrix<Real> transposed(const SymmetricMatrix<Real>&);

RAREFACT_OPERATIONS(double)
RAREFACT_OPERATIONS(Real50)

}  // namespace rarefact
