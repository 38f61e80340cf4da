// Functions of the singular values of symmetric matrices.

#include <limits>

#include "algebra/operations.hpp"
#include "algebra/symmetric_parts.hpp"
#include "core/real50.hpp"

namespace rarefact {

namespace {

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
  const IrreducibleParts<Real> parts = irreducible_parts(x);
  const auto [trivial_norms, contrast_norms] = symmetric_detail::reference_norms(x);
  append(parts.trivial, trivial_norms, 1);
  symmetric_detail::for_contrasts(x.structure(), parts, contrast_norms,
                                  [&](Index i, const MatrixOf<Real>& part, const VectorOf<Real>& norms) {
                                    append(part, norms, x.structure().count[i] - 1);
                                  });
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

#define RAREFACT_SPECTRAL(Real)                                                                            \
  template SymmetricMatrix<Real> spectral_function(const SymmetricMatrix<Real>&, const SpectralMap<Real>&, \
                                                   const Workers&);                                        \
  template Real nuclear_norm(const SymmetricMatrix<Real>&);                                                \
  template Real spectral_norm(const SymmetricMatrix<Real>&);                                               \
  template std::optional<SymmetricMatrix<Real>> leading_part(const SymmetricMatrix<Real>&, Index,          \
                                                             const Workers&);

RAREFACT_SPECTRAL(double)
RAREFACT_SPECTRAL(Real50)

}  // namespace rarefact
