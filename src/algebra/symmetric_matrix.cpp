#include "rarefact/algebra/symmetric_matrix.hpp"

#include <algorithm>
#include <numeric>

namespace rarefact {

SingularValues singular_values(const SymmetricMatrix<double>& x) {
  const GroupStructure& s = x.structure();
  const IrreducibleParts<double> parts = irreducible_parts(x);
  const auto [trivial_norms, contrast_norms] = symmetric_detail::reference_norms(x);
  SingularValues all;
  const auto append = [&all](const Vector& values, double multiplicity) {
    for (const double value : values) {
      all.values.push_back(value);
      all.multiplicities.push_back(multiplicity);
    }
  };
  append(nonzero_singular_values<double>(parts.trivial, trivial_norms), 1);
  const Index b = s.block;
  for (Index i = 0; i < s.groups(); ++i) {
    if (s.count[i] <= 1) continue;
    append(nonzero_singular_values<double>(parts.contrast.middleCols(i * b, b),
                                           contrast_norms.segment(i * b, b)),
           s.count[i] - 1);
  }
  return sorted(std::move(all));
}

}  // namespace rarefact
