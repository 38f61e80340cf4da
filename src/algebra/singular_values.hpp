#pragma once

/// Sizes of matrices: norms and singular values.

#include "core/sorted_order.hpp"
#include "core/types.hpp"

namespace rarefact {

/// Euclidean norm of all entries without overflow or underflow of their squares. Eigen's stableNorm does the
/// same but needs operations that Boost.Multiprecision's numbers do not have.
template <class Derived>
typename Derived::Scalar safe_norm(const Eigen::MatrixBase<Derived>& x) {
  using Real = typename Derived::Scalar;
  if (x.size() == 0) return Real(0);
  using std::sqrt;
  const Real squares = x.squaredNorm();
  if (squares > Real(1e-200) && squares < Real(1e200)) return sqrt(squares);
  const Real largest = x.cwiseAbs().maxCoeff();
  if (!(largest > Real(0))) return largest;  // zero or NaN
  return largest * (x / largest).norm();
}

template <class Real>
VectorOf<Real> column_norms(const MatrixOf<Real>& x) {
  VectorOf<Real> norms(x.cols());
  for (Index j = 0; j < norms.size(); ++j) norms(j) = safe_norm(x.col(j));
  return norms;
}

/// The nonzero singular values of a matrix, descending, with multiplicities. These are doubles because a
/// group of classes may have 1e300 members or, in a quadrature, a real number of them.
template <class Real>
struct SingularValuesOf {
  std::vector<Real> values;
  std::vector<double> multiplicities;

  void reserve(std::size_t number) {
    values.reserve(number);
    multiplicities.reserve(number);
  }
  void add(const Real& value, double multiplicity) {
    values.push_back(value);
    multiplicities.push_back(multiplicity);
  }
};
using SingularValues = SingularValuesOf<double>;

inline double number_of(const SingularValues& all) {
  return std::accumulate(all.multiplicities.begin(), all.multiplicities.end(), 0.0);
}

/// The `number` largest values, for functions of a matrix whose small singular values are rounding noise.
inline SingularValues largest(SingularValues all, double number) {
  for (double& multiplicity : all.multiplicities) {
    // Sums of huge multiplicities are rounded; small whole numbers are exact.
    multiplicity = number < 0.5 ? 0 : std::min(multiplicity, number);
    number -= multiplicity;
  }
  return all;
}

/// The same values in descending order.
template <class Real>
SingularValuesOf<Real> sorted(const SingularValuesOf<Real>& unordered) {
  const auto larger = [&](std::size_t a, std::size_t b) { return unordered.values[a] > unordered.values[b]; };
  SingularValuesOf<Real> result;
  result.reserve(unordered.values.size());
  for (const std::size_t i : sorted_order(unordered.values.size(), larger))
    result.add(unordered.values[i], unordered.multiplicities[i]);
  return result;
}

}  // namespace rarefact
