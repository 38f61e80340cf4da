#include "rarefact/algebra/column_matrix.hpp"

#include "rarefact/algebra/symmetric_matrix.hpp"

namespace rarefact {

double frobenius_norm(const ColumnMatrix& x) {
  const double root_wrong = std::sqrt(x.structure->classes() - 1);
  const double largest = std::max(x.own.cwiseAbs().maxCoeff(), root_wrong * x.other.cwiseAbs().maxCoeff());
  if (!(largest > 0)) return largest;
  // Roots of the counts first: n (own/largest)² overflows for none, √n own would for 1e300 classes of size
  // 1e200.
  double sum = 0;
  for (Index l = 0; l < x.own.size(); ++l) {
    const double own = x.own(l) / largest, other = root_wrong * x.other(l) / largest;
    sum += x.structure->count[static_cast<std::size_t>(l)] * (own * own + other * other);
  }
  return largest * std::sqrt(sum);
}

SingularValues singular_values(const ColumnMatrix& x) {
  SymmetricMatrix<double> full(x.structure);
  for (Index j = 0; j < x.own.size(); ++j) {
    full.own(j)(0, 0) = x.own(j);
    full.other_entries().col(j).setConstant(x.other(j));
    if (x.structure->count[static_cast<std::size_t>(j)] <= 1) full.other(j, j)(0, 0) = 0;
  }
  return singular_values(full);
}

}  // namespace rarefact
