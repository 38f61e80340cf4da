// Parts of matrices selected by singular values.

#include "algebra/operations.hpp"
#include "algebra/symmetric_parts.hpp"
#include "core/real50.hpp"

namespace rarefact {

namespace {

/// A number between σ_r and σ_{r+1}, counted with multiplicity; zero if there are at most r. nullopt if they
/// are equal up to rounding, or belong to one multiplet.
template <class Real>
std::optional<Real> cut_after(const SingularValuesOf<Real>& sigma, Index r) {
  double left = static_cast<double>(r);
  for (std::size_t i = 0; i < sigma.values.size(); ++i) {
    const Real& value = sigma.values[i];
    // Real multiplicities within a group sum to whole numbers up to rounding.
    if (left <= 1e-9 * static_cast<double>(r)) {
      if (i == 0) return Real(2) * value;
      const Real& before = sigma.values[i - 1];
      if (!(before - value >= Real(min_gap) * before)) return std::nullopt;
      return (before + value) / Real(2);
    }
    left -= sigma.multiplicities[i];
    if (left < -1e-9 * static_cast<double>(r)) return std::nullopt;
  }
  return Real(0);
}

}  // namespace

template <class M>
std::optional<M> leading_part(const M& x, Index r, const Workers& workers) {
  using Real = typename M::Scalar;
  if (!finite_entries(x)) return no_numbers(x);
  const std::optional<Real> cut = cut_after(values_of_parts(x), r);
  if (!cut) return std::nullopt;
  return mapped_parts(x, [&](MatrixOf<Real>& part, const VectorOf<Real>& norms) {
    const RankedSvd<Real> svd = ranked_svd<Real>(part, norms, workers);
    Index taken = 0;
    while (taken < svd.rank() && svd.sigma(taken) > *cut) ++taken;
    part = leading_triples(part, svd, taken, workers);
  });
}

template std::optional<DenseMatrix> leading_part(const DenseMatrix&, Index, const Workers&);
template std::optional<SymmetricMatrix<double>> leading_part(const SymmetricMatrix<double>&, Index,
                                                             const Workers&);
template std::optional<SymmetricMatrix<Real50>> leading_part(const SymmetricMatrix<Real50>&, Index,
                                                             const Workers&);

}  // namespace rarefact
