#include "algebra/symmetric_parts.hpp"

#include "algebra/ranked_svd.hpp"
#include "core/real50.hpp"

namespace rarefact {

template <class Real>
MatrixOf<Real> polar_of_part(const MatrixOf<Real>& part, const VectorOf<Real>& reference_norms,
                             const Workers& workers) {
  using std::abs;
  if (part.rows() == 1 || part.cols() == 1) {
    const auto longest = static_cast<double>(part.size());
    const Real tolerance = Real(rank_tolerance_factor * longest) * std::numeric_limits<Real>::epsilon();
    MatrixOf<Real> kept = part;
    for (Index c = 0; c < kept.cols(); ++c)
      if (safe_norm(kept.col(c)) <= tolerance * reference_norms(c)) kept.col(c).setZero();
    const Real norm = safe_norm(kept);
    return norm == Real(0) ? kept : MatrixOf<Real>(kept / norm);
  }
  if (!is_wide(part)) return polar_factor<Real>(part, reference_norms, workers);
  return mapped_singular_values<Real>(
      ranked_svd<Real>(part, reference_norms, workers), [](const Real&) { return Real(1); }, workers);
}

template <class Real>
SingularValues singular_values(const SymmetricMatrix<Real>& x) {
  const IrreducibleParts<Real> parts = irreducible_parts(x);
  const auto [trivial_norms, contrast_norms] = symmetric_detail::reference_norms(x);
  SingularValues all;
  const auto append = [&all](const VectorOf<Real>& values, double multiplicity) {
    for (const Real& value : values) all.add(static_cast<double>(value), multiplicity);
  };
  append(nonzero_singular_values<Real>(parts.trivial, trivial_norms), 1);
  symmetric_detail::for_contrasts(x.structure(), parts, contrast_norms,
                                  [&](Index i, const MatrixOf<Real>& part, const VectorOf<Real>& norms) {
                                    append(nonzero_singular_values<Real>(part, norms),
                                           x.structure().count[static_cast<std::size_t>(i)] - 1);
                                  });
  return sorted(all);
}

template Matrix polar_of_part(const Matrix&, const Vector&, const Workers&);
template MatrixOf<Real50> polar_of_part(const MatrixOf<Real50>&, const VectorOf<Real50>&, const Workers&);
template SingularValues singular_values(const SymmetricMatrix<double>&);
template SingularValues singular_values(const SymmetricMatrix<Real50>&);

}  // namespace rarefact
