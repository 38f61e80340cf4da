#include <stdexcept>

#include "algebra/product.hpp"
#include "algebra/reducer.hpp"
#include "algebra/symmetric_parts.hpp"
#include "core/real50.hpp"

namespace rarefact {

namespace {

/// How often the entries of a type of rows, or of columns, count: those of all units (n t), of all but one, and of
/// one (t).
template <class Real>
class TypeTimes {
 public:
  TypeTimes(const GroupStructure& s, Side side) : types_(s.types(side)) {
    for (Index type = 0; type < s.size(side); ++type) {
      const Real n(s.units(side, type)), twins(types_.twins(type));
      all_.emplace_back(n * twins);
      others_.emplace_back((n - Real(1)) * twins);
      twins_.emplace_back(twins);
    }
  }
  const Times<Real>& all(Index type) const { return all_[type]; }
  const Times<Real>& twins(Index type) const { return twins_[type]; }
  /// Of the units that are not the one of group j.
  const Times<Real>& partners(Index type, Index j) const {
    return (types_.group(type) == j ? others_ : all_)[type];
  }

 private:
  const GroupTypes& types_;
  std::vector<Times<Real>> all_, others_, twins_;
};

/// Every entry of column c: body(entry, how often).
template <class Real, class Body>
void for_column(const SymmetricMatrix<Real>& x, const TypeTimes<Real>& rows, Index c, const Body& body) {
  const GroupStructure& s = x.structure();
  const Index j = s.column_types().group(c), first = s.row_types().begin(j);
  const auto own = x.own_column(c);
  for (Index i = 0; i < own.size(); ++i) body(own(i), rows.twins(first + i));
  for (Index i = 0; i < s.rows(); ++i) body(x.other_entries()(i, c), rows.partners(i, j));
}

/// The structure of a product: that of a factor where it is the same.
SharedStructure product_structure(const SharedStructure& x, const SharedStructure& y) {
  if (y->square()) return x;
  if (x->square()) return y;
  return std::make_shared<const GroupStructure>(x->count, x->row_types(), y->column_types());
}

}  // namespace

template <class Real>
VectorOf<Real> measured(const SymmetricMatrix<Real>& x, Side along, Measured how) {
  if (along == Side::rows) return measured(transposed(x), Side::columns, how);
  const TypeTimes<Real> rows(x.structure(), Side::rows);
  VectorOf<Real> result(x.structure().columns());
  for (Index c = 0; c < result.size(); ++c) {
    Reducer<Real> reducer(how);
    for_column(x, rows, c, [&](const Real& entry, const Times<Real>& n) { reducer.add(entry, n); });
    result(c) = reducer.value();
  }
  return result;
}

template <class Real>
Real measured(const SymmetricMatrix<Real>& x, Measured how) {
  if (how == Measured::euclidean) return frobenius_norm(x);
  const TypeTimes<Real> rows(x.structure(), Side::rows), columns(x.structure(), Side::columns);
  Reducer<Real> reducer(how);
  for (Index c = 0; c < x.structure().columns(); ++c) {
    for_column(x, rows, c,
               [&](const Real& entry, const Times<Real>& n) { reducer.add(entry, n, columns.all(c)); });
  }
  return reducer.value();
}

template <class Real>
Real measured(const VectorOf<Real>& v, const SymmetricMatrix<Real>& like, Side along, Measured how) {
  const TypeTimes<Real> times(like.structure(), along);
  Reducer<Real> reducer(how);
  for (Index i = 0; i < v.size(); ++i) reducer.add(v(i), times.all(i));
  return reducer.value();
}

template <class Real>
Real inner(const SymmetricMatrix<Real>& x, const SymmetricMatrix<Real>& y) {
  const GroupStructure& s = x.structure();
  const TypeTimes<Real> rows(s, Side::rows), columns(s, Side::columns);
  const Times<Real> once;
  Reducer<Real> reducer(Measured::sum);
  // Each factor is weighed before they meet: m n of 1e300 each would overflow, entries of 1/m and 1/n underflow.
  const auto add = [&](const auto& left, const auto& right, Index group, Index j, bool own) {
    for (Index a = 0; a < left.cols(); ++a) {
      const Times<Real>& n = columns.all(s.column_types().begin(j) + a);
      for (Index b = 0; b < left.rows(); ++b) {
        const Index type = s.row_types().begin(group) + b;
        const Times<Real>& m = own ? rows.twins(type) : rows.partners(type, j);
        reducer.add(Real(left(b, a) * m.root * n.root) * Real(right(b, a) * m.root * n.root), once);
      }
    }
  };
  for (Index j = 0; j < s.groups(); ++j) {
    add(x.own(j), y.own(j), j, j, true);
    for (Index i = 0; i < s.groups(); ++i) add(x.other(i, j), y.other(i, j), i, j, false);
  }
  return reducer.value();
}

template <class Real>
Real trace(const SymmetricMatrix<Real>& x) {
  const GroupTypes& types = x.structure().column_types();
  VectorOf<Real> right(x.structure().columns());
  for (Index c = 0; c < right.size(); ++c) right(c) = x.own_column(c)(c - types.begin(types.group(c)));
  return measured(right, x, Side::columns, Measured::sum);
}

template <class Real>
SymmetricMatrix<Real> multiplied(const SymmetricMatrix<Real>& x, const SymmetricMatrix<Real>& y,
                                 const Workers& workers) {
  if (!(x.structure().column_types() == y.structure().row_types()))
    throw std::logic_error("a product of symmetric matrices whose sides differ");
  SymmetricMatrix<Real> z(product_structure(x.shared_structure(), y.shared_structure()));
  const GroupStructure& s = z.structure();
  const GroupTypes& inner = x.structure().column_types();
  // Between groups T_x T_y has the entries of the product.
  const MatrixOf<Real> trivial = product(irreducible_parts(x).trivial, irreducible_parts(y).trivial, workers);
  z.other_entries() = symmetric_detail::side_roots<Real>(s, Side::rows).cwiseInverse().asDiagonal() *
                      trivial *
                      symmetric_detail::side_roots<Real>(s, Side::columns).cwiseInverse().asDiagonal();
  // Columns of group k of x as often as their types have twins.
  const auto counted = [&](MatrixOf<Real> block, Index k) {
    for (Index c = 0; inner.has_twins() && c < block.cols(); ++c)
      block.col(c) *= Real(inner.twins(inner.begin(k) + c));
    return block;
  };
  // Within a group T and A differ by n B, in which a B that is zero would be rounding: terms are summed instead.
  for (Index i = 0; i < s.groups(); ++i) {
    const Real n(s.count[i]);
    MatrixOf<Real> through_others = MatrixOf<Real>::Zero(s.row_types().size(i), s.column_types().size(i));
    if (through_others.size() == 0) continue;
    for (Index k = 0; k < s.groups(); ++k) {
      if (k == i || inner.size(k) == 0) continue;
      const Real count(s.count[k]);
      through_others += times(counted(count * x.other(i, k), k), y.other(k, i));
    }
    z.own(i) = through_others;
    z.other(i, i).setZero();
    if (n > Real(1)) z.other(i, i) = through_others;
    if (inner.size(i) == 0) continue;
    const MatrixOf<Real> own = counted(x.own(i), i);
    z.own(i) = times(own, y.own(i)) + through_others;
    if (!(n > Real(1))) continue;
    const MatrixOf<Real> other = counted(x.other(i, i), i);
    const MatrixOf<Real> both = times(other, y.other(i, i));
    z.own(i) += (n - Real(1)) * both;
    z.other(i, i) =
        times(own, y.other(i, i)) + times(other, y.own(i)) + (n - Real(2)) * both + through_others;
  }
  return z;
}

template <class Real>
VectorOf<Real> multiplied(const SymmetricMatrix<Real>& x, const VectorOf<Real>& v) {
  const GroupStructure& s = x.structure();
  const TypeTimes<Real> columns(s, Side::columns);
  VectorOf<Real> result = VectorOf<Real>::Zero(s.rows());
  for (Index j = 0; j < v.size(); ++j) {
    for (Index i = 0; i < result.size(); ++i)
      result(i) += columns.partners(j, s.row_types().group(i)).number * x.other_entries()(i, j) * v(j);
    const auto own = x.own_column(j);
    const Index first = s.row_types().begin(s.column_types().group(j));
    for (Index i = 0; i < own.size(); ++i) result(first + i) += columns.twins(j).number * own(i) * v(j);
  }
  return result;
}

template <class Real>
Real frobenius_norm(const SymmetricMatrix<Real>& x) {
  using namespace symmetric_detail;
  using std::sqrt;
  const GroupStructure& s = x.structure();
  const TwinRoots<Real> twins(s);
  MatrixOf<Real> others = side_roots<Real>(s, Side::rows).asDiagonal() * x.other_entries() *
                          side_roots<Real>(s, Side::columns).asDiagonal();
  VectorOf<Real> own(x.own_entries().size());
  for_own_entries<Real>(s, [&](Index r, Index c, Index entry, const Real& n) {
    const Real root = sqrt(n), partners = sqrt(Real(n - Real(1)));
    others(r, c) = twins.times(r, c, Real(root * (partners * x.other_entries()(r, c))));
    own(entry) = twins.times(r, c, Real(root * x.own_entries()(entry)));
  });
  VectorOf<Real> norms(2);
  norms << safe_norm(own), safe_norm(others);
  return safe_norm(norms);
}

template <class Real>
SymmetricMatrix<Real> transposed(const SymmetricMatrix<Real>& x) {
  SymmetricMatrix<Real> y(with_sides(x.shared_structure(), Side::columns, Side::rows));
  y.other_entries() = x.other_entries().transpose();
  for (Index i = 0; i < x.structure().groups(); ++i) {
    y.own(i) = x.own(i).transpose();
    if (x.structure().count[i] <= 1) y.other(i, i).setZero();
  }
  return y;
}

#define RAREFACT_OPERATIONS(Real)                                                                       \
  template VectorOf<Real> measured(const SymmetricMatrix<Real>&, Side, Measured);                       \
  template Real measured(const SymmetricMatrix<Real>&, Measured);                                       \
  template Real measured(const VectorOf<Real>&, const SymmetricMatrix<Real>&, Side, Measured);          \
  template Real inner(const SymmetricMatrix<Real>&, const SymmetricMatrix<Real>&);                      \
  template Real frobenius_norm(const SymmetricMatrix<Real>&);                                           \
  template Real trace(const SymmetricMatrix<Real>&);                                                    \
  template SymmetricMatrix<Real> multiplied(const SymmetricMatrix<Real>&, const SymmetricMatrix<Real>&, \
                                            const Workers&);                                            \
  template VectorOf<Real> multiplied(const SymmetricMatrix<Real>&, const VectorOf<Real>&);              \
  template SymmetricMatrix<Real> transposed(const SymmetricMatrix<Real>&);

RAREFACT_OPERATIONS(double)
RAREFACT_OPERATIONS(Real50)

}  // namespace rarefact
