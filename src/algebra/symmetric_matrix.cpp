#include "algebra/symmetric_matrix.hpp"

#include "core/real50.hpp"

namespace rarefact {

template <class Real>
SingularValues singular_values(const SymmetricMatrix<Real>& x) {
  const GroupStructure& s = x.structure();
  const IrreducibleParts<Real> parts = irreducible_parts(x);
  const auto [trivial_norms, contrast_norms] = symmetric_detail::reference_norms(x);
  SingularValues all;
  const auto append = [&all](const VectorOf<Real>& values, double multiplicity) {
    for (const Real& value : values) all.add(static_cast<double>(value), multiplicity);
  };
  append(nonzero_singular_values<Real>(parts.trivial, trivial_norms), 1);
  const Index b = s.block;
  for (Index i = 0; i < s.groups(); ++i) {
    if (s.count[i] <= 1) continue;
    append(
        nonzero_singular_values<Real>(parts.contrast.middleCols(i * b, b), contrast_norms.segment(i * b, b)),
        s.count[i] - 1);
  }
  return sorted(all);
}

template SingularValues singular_values(const SymmetricMatrix<double>&);
template SingularValues singular_values(const SymmetricMatrix<Real50>&);

}  // namespace rarefact
