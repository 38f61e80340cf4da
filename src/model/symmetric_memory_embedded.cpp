#include <cmath>

#include "algebra/operations.hpp"
#include "core/real50.hpp"
#include "model/symmetric_memory.hpp"

namespace rarefact {

namespace {

/// How many of a row type there are outside a unit of group j.
double units_outside(const GroupStructure& s, Index row, Index j) {
  return s.units(Side::rows, row) - (s.row_types().group(row) == j ? 1 : 0);
}

/// The sum of a column.
template <class Real>
Real column_sum(const SymmetricMatrix<Real>& x, Index column) {
  const GroupStructure& s = x.structure();
  const GroupTypes& rows = s.row_types();
  const Index j = s.column_types().group(column);
  if (!rows.has_twins()) {
    Real sum = x.own_column(column).sum();
    for (Index i = 0; i < s.groups(); ++i) {
      const Real partners = i == j ? Real(Real(s.count[i]) - Real(1)) : Real(s.count[i]);
      sum += partners * x.other_entries().col(column).segment(rows.begin(i), rows.size(i)).sum();
    }
    return sum;
  }
  Real sum(0);
  for (Index b = 0; b < rows.size(j); ++b)
    sum += Real(rows.twins(rows.begin(j) + b)) * x.own_column(column)(b);
  for (Index row = 0; row < s.rows(); ++row)
    sum += Real(rows.twins(row)) * Real(units_outside(s, row, j)) * x.other_entries()(row, column);
  return sum;
}

/// L X Rᵀ block by block (an empty matrix is the identity).
template <class Real>
SymmetricMatrix<Real> conjugated(SymmetricMatrix<Real> x, const MatrixOf<Real>& left,
                                 const MatrixOf<Real>& right) {
  const auto apply = [&](auto block) {
    if (left.size() > 0) block = (left * block).eval();
    if (right.size() > 0) block = (block * right.transpose()).eval();
  };
  const GroupStructure& s = x.structure();
  for (Index j = 0; j < s.groups(); ++j) {
    apply(x.own(j));
    for (Index i = 0; i < s.groups(); ++i) apply(x.other(i, j));
  }
  return x;
}

/// G_ρ^½ X, with G_ρ^½ = a I + c 11ᵀ, a = (1-ρ)^½, c = ((1-ρ+ρK)^½ - a)/K = ρ/((1-ρ+ρK)^½ + a): every entry of a
/// column gains c times the column's sum.
template <class Real>
SymmetricMatrix<Real> times_gram_root(const SymmetricMatrix<Real>& x, double correlation) {
  using std::sqrt;
  if (correlation == 0) return x;
  const GroupStructure& s = x.structure();
  const GroupTypes& rows = s.row_types();
  const Real rho(correlation), a = sqrt(Real(1) - rho);
  const Real c = rho / (sqrt(Real(1) - rho + rho * s.total<Real>(Side::rows)) + a);
  SymmetricMatrix<Real> y = x;
  for (Index column = 0; column < s.columns(); ++column) {
    const Index j = s.column_types().group(column);
    const Real sum = column_sum(x, column);
    y.own_column(column) = (a * x.own_column(column)).array() + c * sum;
    for (Index i = 0; i < s.groups(); ++i) {
      if (i == j && s.count[i] <= 1) continue;
      const Index first = rows.begin(i), height = rows.size(i);
      y.other_entries().col(column).segment(first, height) =
          (a * x.other_entries().col(column).segment(first, height)).array() + c * sum;
    }
  }
  return y;
}

/// X G_c^½, G_c^½ = a I + c' (ones inside a unit), a = (1-c)^½, c' = ((1-c+cR)^½ - a)/R for units of R columns: every
/// entry gains c' times the sum of its row over the columns of a unit.
template <class Real>
SymmetricMatrix<Real> times_unit_root(const SymmetricMatrix<Real>& x, double similarity) {
  using std::sqrt;
  if (similarity == 0) return x;
  const Real c(similarity), a = sqrt(Real(1) - c);
  const GroupStructure& s = x.structure();
  const GroupTypes& columns = s.column_types();
  SymmetricMatrix<Real> y = x;
  for (Index j = 0; j < s.groups(); ++j) {
    VectorOf<Real> twins(columns.size(j));
    for (Index t = 0; t < twins.size(); ++t) twins(t) = Real(columns.twins(columns.begin(j) + t));
    const Real shared = c / (sqrt(Real(1) - c + c * twins.sum()) + a);
    const auto apply = [&](auto block) {
      const VectorOf<Real> sums = shared * (block * twins);
      block = ((a * block).colwise() + sums).eval();
    };
    apply(y.own(j));
    for (Index i = 0; i < s.groups(); ++i) {
      if (i != j || s.count[i] > 1) apply(y.other(i, j));
    }
  }
  return y;
}

/// X between the embeddings: turned by their blocks, or stretched by the roots of their correlations.
template <class Real>
SymmetricMatrix<Real> between(const SymmetricMatrix<Real>& x, const SymmetricEmbedding<Real>& answer,
                              const SymmetricEmbedding<Real>& query, bool transpose) {
  const auto block = [transpose](const MatrixOf<Real>& side) -> MatrixOf<Real> {
    return transpose ? MatrixOf<Real>(side.transpose()) : side;
  };
  SymmetricMatrix<Real> y = conjugated<Real>(x, block(answer.block), block(query.block));
  y = times_gram_root(y, answer.correlation);
  if (answer.similarity != 0) y = transposed(times_unit_root(transposed(y), answer.similarity));
  y = times_unit_root(y, query.similarity);
  if (query.correlation != 0) y = transposed(times_gram_root(transposed(y), query.correlation));
  return y;
}

}  // namespace

template <class Real>
SymmetricMatrix<Real> SymmetricMemory<Real>::logits(const State& w) const {
  return identity() ? w : between(w, answer_, query_, true);
}

template <class Real>
SymmetricMatrix<Real> SymmetricMemory<Real>::with_queries(const State& x, const Workers&) const {
  return between(x, SymmetricEmbedding<Real>{}, query_, true);
}

template <class Real>
SymmetricMatrix<Real> SymmetricMemory<Real>::of_answers(const State& x) const {
  return between(x, answer_, SymmetricEmbedding<Real>{}, false);
}

template <class Real>
SymmetricMatrix<Real> SymmetricMemory<Real>::to_ambient(const State& x) const {
  return identity() ? x : between(x, answer_, query_, false);
}

template <class Real>
SecondMoment<SymmetricMatrix<Real>> SymmetricMemory<Real>::second_moment_root() const {
  using std::sqrt;
  State roots = zero();
  for (Index c = 0; c < scaled_probability_.size(); ++c)
    roots.own_column(c)(cells_[c].position) = sqrt(scaled_probability_(c));
  return {times_gram_root(conjugated<Real>(roots, query_.block, {}), query_.correlation), exponent_};
}

template <class Real>
Real SymmetricMemory<Real>::left_null_part(const State& x, const Workers&) const {
  using std::sqrt;
  const State turned = conjugated<Real>(x, answer_.block.transpose(), {});
  VectorOf<Real> parts(structure_->columns());
  for (Index column = 0; column < parts.size(); ++column)
    parts(column) = sqrt(Real(query_counts_(column) / answers_)) * column_sum(turned, column);
  return safe_norm(parts);
}

#define RAREFACT_EMBEDDED(Real)                                                                   \
  template SymmetricMatrix<Real> SymmetricMemory<Real>::logits(const State&) const;               \
  template SymmetricMatrix<Real> SymmetricMemory<Real>::to_ambient(const State&) const;           \
  template SecondMoment<SymmetricMatrix<Real>> SymmetricMemory<Real>::second_moment_root() const; \
  template Real SymmetricMemory<Real>::left_null_part(const State&, const Workers&) const;

template SymmetricMatrix<double> SymmetricMemory<double>::with_queries(const State&, const Workers&) const;
template SymmetricMatrix<double> SymmetricMemory<double>::of_answers(const State&) const;
RAREFACT_EMBEDDED(double)
RAREFACT_EMBEDDED(Real50)

}  // namespace rarefact
