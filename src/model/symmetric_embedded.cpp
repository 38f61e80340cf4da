#include "algebra/operations.hpp"
#include "algebra/runs.hpp"
#include "core/real50.hpp"
#include "model/symmetric_layout.hpp"

namespace rarefact {

namespace {

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
    apply(x.diagonal_block(j));
    for (Index i = 0; i < s.groups(); ++i) apply(x.off_block(i, j));
  }
  return x;
}

/// X Eᵀ, or X E, for the root E of (1-ρ) I + ρ 11ᵀ that is upper triangular in an order of the types of columns. With
/// a = √(1-ρ), m members of type c and s members of earlier types
///     share = a²/(a² + ρ s),    d² = a² + ρ share m,    same = ρ share/(d + a),    later = ρ share/d,
///     E = a I + same 11ᵀ among the members of c, and later 11ᵀ in their rows and the columns of later types.
/// X Eᵀ adds to a column only columns of later types. If these are rarer, every column keeps its relative
/// accuracy; the symmetric root would add frequent columns to rare ones.
template <class Real>
SymmetricMatrix<Real> times_root(SymmetricMatrix<Real> x, double correlation, const std::vector<Index>& order,
                                 bool transpose) {
  using std::sqrt;
  if (correlation == 0) return x;
  const GroupStructure& s = x.structure();
  const GroupTypes &rows = s.row_types(), &types = s.column_types();
  const VectorOf<Real> number = s.numbers<Real>(Side::columns);
  const Real rho(correlation), square = Real(1) - rho, scale = sqrt(square);
  VectorOf<Real> same(number.size()), later(number.size()), others = VectorOf<Real>::Zero(s.rows());
  Real before(0);
  for (const Index c : order) {
    const Real share = square / (square + rho * before), d = sqrt(Real(square + rho * share * number(c)));
    same(c) = rho * share / (d + scale);
    later(c) = rho * share / d;
    before += number(c);
  }
  for (std::size_t k = 0; k < order.size(); ++k) {
    const Index c = order[transpose ? order.size() - 1 - k : k], j = types.group(c), first = rows.begin(j),
                height = rows.size(j);
    auto other = x.off_entries().col(c);
    VectorOf<Real> sum = number(c) * other;  // of all columns of the type
    sum.segment(first, height) =
        Real(types.multiplicity(c)) *
        (x.diagonal_column(c) + (Real(s.count[j]) - Real(1)) * other.segment(first, height));
    const VectorOf<Real> gain = same(c) * sum + (transpose ? later(c) : Real(1)) * others;
    others += (transpose ? Real(1) : later(c)) * sum;
    x.diagonal_column(c) = scale * x.diagonal_column(c) + gain.segment(first, height);
    other = scale * other + gain;
    if (!(s.count[j] > 1)) other.segment(first, height).setZero();
  }
  return x;
}

/// G_ρ^½ X, G_ρ^½ = a I + c 11ᵀ, a = (1-ρ)^½, c = ((1-ρ+ρK)^½ - a)/K = ρ/((1-ρ+ρK)^½ + a). Columns that sum
/// to zero up to rounding, as those of gradients do, are only scaled.
template <class Real>
SymmetricMatrix<Real> stretched(SymmetricMatrix<Real> x, double correlation) {
  using std::sqrt;
  const Real rho(correlation), a = sqrt(Real(1) - rho);
  const Real c = rho / (sqrt(Real(1) - rho + rho * x.structure().template total<Real>(Side::rows)) + a);
  const VectorOf<Real> shift = c * aggregate(x, Side::columns, Aggregate::sum);
  for_runs(x, [&](Index column, Index, Index size, const Real*, Real* at) {
    for (Index i = 0; i < size; ++i) at[i] = a * at[i] + shift(column);
  });
  return x;
}

/// Ẽ X Eᵀ or Ẽᵀ X E: X multiplied by the blocks of the embeddings, or by the roots of their correlations.
template <class Real>
SymmetricMatrix<Real> between(const SymmetricMatrix<Real>& x, const SymmetricEmbedding<Real>& answer,
                              const SymmetricEmbedding<Real>& query, const std::vector<Index>& order,
                              bool logits) {
  const auto block = [logits](const MatrixOf<Real>& side) -> MatrixOf<Real> {
    return logits ? MatrixOf<Real>(side.transpose()) : side;
  };
  SymmetricMatrix<Real> y = conjugated<Real>(x, block(answer.block), block(query.block));
  if (answer.correlation != 0) y = stretched(std::move(y), answer.correlation);
  return times_root(std::move(y), query.correlation, order, !logits);
}

}  // namespace

template <class Real>
SymmetricMatrix<Real> SymmetricLayout<Real>::logits(const State& w) const {
  if (query_.attributes) return query_.attributes->logits(w, structure_);
  return without_embeddings() ? w : between(w, answer_, query_, rarest_last_, true);
}

template <class Real>
SymmetricMatrix<Real> SymmetricLayout<Real>::with_queries(const State& x, const Workers&) const {
  return between(x, SymmetricEmbedding<Real>{}, query_, rarest_last_, true);
}

template <class Real>
SymmetricMatrix<Real> SymmetricLayout<Real>::of_answers(const State& x) const {
  return between(x, answer_, SymmetricEmbedding<Real>{}, rarest_last_, false);
}

template <class Real>
SymmetricMatrix<Real> SymmetricLayout<Real>::by_queries(const State& x) const {
  return between(x, SymmetricEmbedding<Real>{}, query_, rarest_last_, false);
}

template <class Real>
SymmetricMatrix<Real> SymmetricLayout<Real>::to_ambient(const State& x) const {
  if (query_.attributes) return query_.attributes->to_ambient(x);
  return without_embeddings() ? x : between(x, answer_, query_, rarest_last_, false);
}

template <class Real>
SecondMoment<SymmetricMatrix<Real>> SymmetricLayout<Real>::second_moment_root() const {
  using std::sqrt;
  State roots(with_sides(structure_, Side::columns, Side::columns));
  const GroupTypes& types = structure_->column_types();
  for (Index c = 0; c < columns(); ++c)
    roots.diagonal_column(c)(c - types.begin(types.group(c))) =
        sqrt(Real(std::ldexp(training(c), -exponent_)));
  // Columns of E diag(√p) are rows of diag(√p) Eᵀ.
  const State turned = transposed(conjugated<Real>(roots, query_.block, {}));
  return {transposed(times_root(turned, query_.correlation, rarest_last_, true)), exponent_};
}

template <class Real>
Real SymmetricLayout<Real>::left_null_part(const State& x, const Workers&) const {
  using std::sqrt;
  const State turned = transposed(conjugated<Real>(x, answer_.block.transpose(), {}));
  VectorOf<Real> parts = multiplied(turned, VectorOf<Real>::Ones(x.structure().rows()).eval());
  VectorOf<Real> lengths(structure_->rows());
  const VectorOf<Real> columns = x.structure().template numbers<Real>(Side::columns);
  for (Index c = 0; c < parts.size(); ++c) parts(c) *= sqrt(columns(c));
  for (Index k = 0; k < lengths.size(); ++k) lengths(k) = sqrt(answer_counts_(k));
  return safe_norm(parts) / safe_norm(lengths);
}

template <class Real>
void SymmetricLayout<Real>::drop_left_null(State& x) const {
  const GroupStructure& s = x.structure();
  const GroupTypes& rows = s.row_types();
  VectorOf<Real> u = VectorOf<Real>::Ones(s.rows());
  if (answer_.block.size() > 0) u = answer_.block.rowwise().sum().replicate(s.groups(), 1);
  const Real square = s.template numbers<Real>(Side::rows).dot(u.cwiseAbs2());
  const VectorOf<Real> parts = multiplied(transposed(x), u) / square;
  for (Index c = 0; c < s.columns(); ++c) {
    const Index j = s.column_types().group(c), first = rows.begin(j), height = rows.size(j);
    x.diagonal_column(c) -= parts(c) * u.segment(first, height);
    x.off_entries().col(c) -= parts(c) * u;
    if (!(s.count[j] > 1)) x.off_entries().col(c).segment(first, height).setZero();
  }
}

#define RAREFACT_EMBEDDED(Real)                                                                   \
  template SymmetricMatrix<Real> SymmetricLayout<Real>::logits(const State&) const;               \
  template SymmetricMatrix<Real> SymmetricLayout<Real>::to_ambient(const State&) const;           \
  template SymmetricMatrix<Real> SymmetricLayout<Real>::of_answers(const State&) const;           \
  template SymmetricMatrix<Real> SymmetricLayout<Real>::by_queries(const State&) const;           \
  template SecondMoment<SymmetricMatrix<Real>> SymmetricLayout<Real>::second_moment_root() const; \
  template void SymmetricLayout<Real>::drop_left_null(State&) const;                              \
  template Real SymmetricLayout<Real>::left_null_part(const State&, const Workers&) const;

template SymmetricMatrix<double> SymmetricLayout<double>::with_queries(const State&, const Workers&) const;
RAREFACT_EMBEDDED(double)
RAREFACT_EMBEDDED(Real50)

}  // namespace rarefact
