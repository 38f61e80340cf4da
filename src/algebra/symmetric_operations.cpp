#include <limits>

#include "algebra/product.hpp"
#include "algebra/reducer.hpp"
#include "core/real50.hpp"

namespace rarefact {

namespace {

/// n_i, as often as an entry of group i counts; one less where the entry's own block does not count.
template <class Real>
struct GroupTimes {
  std::vector<Times<Real>> all, others;

  explicit GroupTimes(const GroupStructure& s) {
    for (const double n : s.count) {
      all.emplace_back(Real(n));
      others.emplace_back(Real(n) - Real(1));
    }
  }
  const Times<Real>& partners(Index i, Index j) const {
    return (i == j ? others : all)[static_cast<std::size_t>(i)];
  }
};

/// Every entry of column c, which stands in group j: body(entry, how often).
template <class Real, class Body>
void for_column(const SymmetricMatrix<Real>& x, const GroupTimes<Real>& times, Index c, const Body& body) {
  const Index b = x.structure().block, j = c / b;
  const Times<Real> once;
  for (Index i = 0; i < b; ++i) body(x.own_entries()(i, c), once);
  for (Index i = 0; i < x.structure().rows(); ++i) body(x.other_entries()(i, c), times.partners(i / b, j));
}

template <class Real>
bool all_finite(const SymmetricMatrix<Real>& x) {
  return x.own_entries().allFinite() && x.other_entries().allFinite();
}

template <class Real>
SymmetricMatrix<Real> no_numbers(const SymmetricMatrix<Real>& like) {
  SymmetricMatrix<Real> y(like.shared_structure());
  y.own_entries().setConstant(std::numeric_limits<Real>::quiet_NaN());
  y.other_entries().setConstant(std::numeric_limits<Real>::quiet_NaN());
  return y;
}

/// σ of the parts, descending, with multiplicities.
template <class Real>
SingularValuesOf<Real> values_of_parts(const SymmetricMatrix<Real>& x) {
  SingularValuesOf<Real> all;
  const auto append = [&all](const auto& part, const auto& norms, double multiplicity) {
    for (const Real& value : nonzero_singular_values<Real>(part, norms)) all.add(value, multiplicity);
  };
  const GroupStructure& s = x.structure();
  const Index b = s.block;
  const IrreducibleParts<Real> parts = irreducible_parts(x);
  const auto [trivial_norms, contrast_norms] = symmetric_detail::reference_norms(x);
  append(parts.trivial, trivial_norms, 1);
  for (Index i = 0; i < s.groups(); ++i) {
    const double n = s.count[static_cast<std::size_t>(i)];
    if (n > 1) append(parts.contrast.middleCols(i * b, b), contrast_norms.segment(i * b, b), n - 1);
  }
  return sorted(all);
}

/// A value between σ_r and σ_{r+1}, counted with multiplicity: zero where there are no more than r. Nothing where the
/// two are the same to rounding, or one multiplet.
template <class Real>
std::optional<Real> cut_after(const SingularValuesOf<Real>& sigma, Index r) {
  double left = static_cast<double>(r);
  for (std::size_t i = 0; i < sigma.values.size(); ++i) {
    const Real& value = sigma.values[i];
    // Real multiplicities, of parts of a group, add up to whole ones but for rounding.
    if (left <= 1e-9 * static_cast<double>(r)) {
      if (i == 0) return Real(2) * value;
      const Real& before = sigma.values[i - 1];
      if (!(before - value >= Real(least_gap) * before)) return std::nullopt;
      return (before + value) / Real(2);
    }
    left -= sigma.multiplicities[i];
    if (left < -1e-9 * static_cast<double>(r)) return std::nullopt;
  }
  return Real(0);
}

}  // namespace

template <class Real>
VectorOf<Real> measured(const SymmetricMatrix<Real>& x, Side along, Measured how) {
  if (along == Side::rows) return measured(transposed(x), Side::columns, how);
  const GroupTimes<Real> times(x.structure());
  VectorOf<Real> result(x.structure().rows());
  for (Index c = 0; c < result.size(); ++c) {
    Reducer<Real> reducer(how);
    for_column(x, times, c, [&](const Real& entry, const Times<Real>& n) { reducer.add(entry, n); });
    result(c) = reducer.value();
  }
  return result;
}

template <class Real>
Real measured(const SymmetricMatrix<Real>& x, Measured how) {
  if (how == Measured::euclidean) return frobenius_norm(x);
  const GroupTimes<Real> times(x.structure());
  Reducer<Real> reducer(how);
  for (Index c = 0; c < x.structure().rows(); ++c) {
    const Times<Real>& columns = times.all[static_cast<std::size_t>(c / x.structure().block)];
    for_column(x, times, c, [&](const Real& entry, const Times<Real>& n) { reducer.add(entry, n, columns); });
  }
  return reducer.value();
}

template <class Real>
Real measured(const VectorOf<Real>& v, const SymmetricMatrix<Real>& like, Measured how) {
  const GroupTimes<Real> times(like.structure());
  Reducer<Real> reducer(how);
  for (Index i = 0; i < v.size(); ++i)
    reducer.add(v(i), times.all[static_cast<std::size_t>(i / like.structure().block)]);
  return reducer.value();
}

template <class Real>
Real inner(const SymmetricMatrix<Real>& x, const SymmetricMatrix<Real>& y) {
  const GroupStructure& s = x.structure();
  const GroupTimes<Real> times(s);
  const Times<Real> once;
  Reducer<Real> reducer(Measured::sum);
  // Each factor is weighed before they meet: m n of 1e300 each would overflow, entries of 1/m and 1/n underflow.
  const auto add = [&](const auto& left, const auto& right, const Times<Real>& m, const Times<Real>& n) {
    for (Index j = 0; j < left.cols(); ++j) {
      for (Index i = 0; i < left.rows(); ++i)
        reducer.add(Real(left(i, j) * m.root * n.root) * Real(right(i, j) * m.root * n.root), once);
    }
  };
  for (Index j = 0; j < s.groups(); ++j) {
    const Times<Real>& columns = times.all[static_cast<std::size_t>(j)];
    add(x.own(j), y.own(j), once, columns);
    for (Index i = 0; i < s.groups(); ++i) add(x.other(i, j), y.other(i, j), times.partners(i, j), columns);
  }
  return reducer.value();
}

template <class Real>
Real trace(const SymmetricMatrix<Real>& x) {
  const Index b = x.structure().block;
  VectorOf<Real> right(x.structure().rows());
  for (Index c = 0; c < right.size(); ++c) right(c) = x.own_entries()(c % b, c);
  return measured(right, x, Measured::sum);
}

template <class Real>
SymmetricMatrix<Real> multiplied(const SymmetricMatrix<Real>& x, const SymmetricMatrix<Real>& y,
                                 const Workers& workers) {
  const GroupStructure& s = x.structure();
  const VectorOf<Real> roots = symmetric_detail::row_roots<Real>(s), inverse_roots = roots.cwiseInverse();
  SymmetricMatrix<Real> z(x.shared_structure());
  // Between groups T_x T_y has the entries of the product.
  const MatrixOf<Real> trivial = product(irreducible_parts(x).trivial, irreducible_parts(y).trivial, workers);
  z.other_entries() = inverse_roots.asDiagonal() * trivial * inverse_roots.asDiagonal();
  // Within a group T and A differ by n B, in which a B that is zero would be rounding: terms are summed instead.
  for (Index i = 0; i < s.groups(); ++i) {
    const Real n(s.count[static_cast<std::size_t>(i)]);
    MatrixOf<Real> through_others = MatrixOf<Real>::Zero(s.block, s.block);
    for (Index k = 0; k < s.groups(); ++k) {
      if (k == i) continue;
      const Real count(s.count[static_cast<std::size_t>(k)]);
      through_others += times((count * x.other(i, k)).eval(), y.other(k, i));
    }
    z.own(i) = times(x.own(i), y.own(i)) + through_others;
    z.other(i, i).setZero();
    if (!(n > Real(1))) continue;
    const MatrixOf<Real> both = times(x.other(i, i), y.other(i, i));
    z.own(i) += (n - Real(1)) * both;
    z.other(i, i) = times(x.own(i), y.other(i, i)) + times(x.other(i, i), y.own(i)) + (n - Real(2)) * both +
                    through_others;
  }
  return z;
}

template <class Real>
VectorOf<Real> multiplied(const SymmetricMatrix<Real>& x, const VectorOf<Real>& v) {
  const GroupTimes<Real> times(x.structure());
  const Index b = x.structure().block;
  VectorOf<Real> result = VectorOf<Real>::Zero(v.size());
  for (Index j = 0; j < v.size(); ++j) {
    for (Index i = 0; i < v.size(); ++i)
      result(i) += times.partners(j / b, i / b).number * x.other_entries()(i, j) * v(j);
    for (Index i = 0; i < b; ++i) result(j / b * b + i) += x.own_entries()(i, j) * v(j);
  }
  return result;
}

template <class Real>
SymmetricMatrix<Real> transposed(const SymmetricMatrix<Real>& x) {
  SymmetricMatrix<Real> y(x.shared_structure());
  y.other_entries() = x.other_entries().transpose();
  for (Index i = 0; i < x.structure().groups(); ++i) {
    y.own(i) = x.own(i).transpose();
    if (x.structure().count[static_cast<std::size_t>(i)] <= 1) y.other(i, i).setZero();
  }
  return y;
}

template <class Real>
SymmetricMatrix<Real> spectral_function(const SymmetricMatrix<Real>& x,
                                        const std::type_identity_t<SpectralMap<Real>>& f,
                                        const Workers& workers) {
  if (!all_finite(x)) return no_numbers(x);
  const auto of_part = [&](const MatrixOf<Real>& part, const VectorOf<Real>& norms) {
    return mapped_singular_values<Real>(ranked_svd<Real>(part, norms, workers), f, workers);
  };
  return mapped_parts(x, of_part, of_part);
}

template <class Real>
Real nuclear_norm(const SymmetricMatrix<Real>& x) {
  if (!all_finite(x)) return std::numeric_limits<Real>::quiet_NaN();
  const SingularValuesOf<Real> sigma = values_of_parts(x);
  Real sum(0);
  for (std::size_t i = 0; i < sigma.values.size(); ++i)
    sum += Real(sigma.multiplicities[i]) * sigma.values[i];
  return sum;
}

template <class Real>
Real spectral_norm(const SymmetricMatrix<Real>& x) {
  if (!all_finite(x)) return std::numeric_limits<Real>::quiet_NaN();
  const SingularValuesOf<Real> sigma = values_of_parts(x);
  return sigma.values.empty() ? Real(0) : sigma.values.front();
}

template <class Real>
std::optional<SymmetricMatrix<Real>> leading_part(const SymmetricMatrix<Real>& x, Index r,
                                                  const Workers& workers) {
  if (!all_finite(x)) return no_numbers(x);
  const std::optional<Real> cut = cut_after(values_of_parts(x), r);
  if (!cut) return std::nullopt;
  const auto of_part = [&](const MatrixOf<Real>& part, const VectorOf<Real>& norms) {
    const RankedSvd<Real> svd = ranked_svd<Real>(part, norms, workers);
    Index taken = 0;
    while (taken < svd.rank() && svd.sigma(taken) > *cut) ++taken;
    return leading_triples(part, svd, taken, workers);
  };
  return mapped_parts(x, of_part, of_part);
}

#define RAREFACT_OPERATIONS(Real)                                                                          \
  template VectorOf<Real> measured(const SymmetricMatrix<Real>&, Side, Measured);                          \
  template Real measured(const SymmetricMatrix<Real>&, Measured);                                          \
  template Real measured(const VectorOf<Real>&, const SymmetricMatrix<Real>&, Measured);                   \
  template Real inner(const SymmetricMatrix<Real>&, const SymmetricMatrix<Real>&);                         \
  template Real trace(const SymmetricMatrix<Real>&);                                                       \
  template SymmetricMatrix<Real> multiplied(const SymmetricMatrix<Real>&, const SymmetricMatrix<Real>&,    \
                                            const Workers&);                                               \
  template VectorOf<Real> multiplied(const SymmetricMatrix<Real>&, const VectorOf<Real>&);                 \
  template SymmetricMatrix<Real> transposed(const SymmetricMatrix<Real>&);                                 \
  template SymmetricMatrix<Real> spectral_function(const SymmetricMatrix<Real>&, const SpectralMap<Real>&, \
                                                   const Workers&);                                        \
  template Real nuclear_norm(const SymmetricMatrix<Real>&);                                                \
  template Real spectral_norm(const SymmetricMatrix<Real>&);                                               \
  template std::optional<SymmetricMatrix<Real>> leading_part(const SymmetricMatrix<Real>&, Index,          \
                                                             const Workers&);

RAREFACT_OPERATIONS(double)
RAREFACT_OPERATIONS(Real50)

}  // namespace rarefact
