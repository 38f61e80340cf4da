#include <algorithm>
#include <cmath>

#include "algebra/centred_columns.hpp"
#include "algebra/decompositions.hpp"
#include "algebra/product.hpp"
#include "core/real50.hpp"
#include "theory/one_step.hpp"
#include "theory/require_legal.hpp"

namespace rarefact {

template <class Real>
SingularValuesOf<Real> two_level_singular_values(const ClassGroups& groups) {
  using std::sqrt;
  require_legal(groups.size() == 2 && groups.probability[0] != groups.probability[1],
                "the closed form is for two groups of unequal frequency");
  const Real n1(groups.count[0]), n2(groups.count[1]), p1(groups.probability[0]), p2(groups.probability[1]);
  const Real largest = std::max(p1, p2), a = p1 / largest, b = p2 / largest;
  SingularValuesOf<Real> values;
  const auto append = [&values](const Real& value, double multiplicity) {
    if (multiplicity > 0) values.add(value, multiplicity);
  };
  append(p1, groups.count[0] - 1);
  append(p2, groups.count[1] - 1);
  append(largest * sqrt(Real((a * a * n2 + b * b * n1) / (n1 + n2))), 1);
  return sorted(values);
}

template <class Real>
SingularValuesOf<Real> residual_singular_values(const ClassGroups& groups) {
  return centred_singular_values<Real>(groups.count, {groups.probability.begin(), groups.probability.end()});
}

template <class Real>
SignUpdateSpectrum<Real> sign_update_spectrum(const MatrixOf<Real>& answer_block,
                                              const MatrixOf<Real>& query_block, double class_total) {
  const BlockPair<Real> update = coupled_sign_update(answer_block, query_block, Real(class_total));
  const Index b = answer_block.rows();
  const double blocks = number_of_blocks(class_total, b);
  SingularValuesOf<Real> values;
  const VectorOf<Real> contrast = one_sided_jacobi<Real>(update.own - update.other).sigma;
  for (const Real& sigma : contrast) {
    if (!(sigma > Real(0))) continue;
    values.add(sigma, blocks - 1);
  }
  // other is a product of sign vectors, left rightᵀ, and n times it would swallow own's digits. Reflections
  // that take left and right to multiples of e_1 put all of it into one entry, and Jacobi rotations lose
  // nothing to one large column.
  const VectorOf<Real> left = update.other.col(0);
  const VectorOf<Real> right = update.other.row(0).transpose() * left(0);
  const auto reflect = [](const VectorOf<Real>& x) {
    VectorOf<Real> v = x;
    v(0) += (x(0) < Real(0) ? Real(-1) : Real(1)) * x.norm();
    return MatrixOf<Real>(MatrixOf<Real>::Identity(x.size(), x.size()) -
                          Real(2) / v.squaredNorm() * v * v.transpose());
  };
  const MatrixOf<Real> turned_left = reflect(left), turned_right = reflect(right);
  MatrixOf<Real> trivial = times(times(turned_left, update.own), turned_right);
  trivial(0, 0) += Real(blocks - 1) * turned_left.row(0).dot(left) * turned_right.row(0).dot(right);
  VectorOf<Real> once = one_sided_jacobi<Real>(trivial).sigma;
  std::sort(once.data(), once.data() + b, [](const Real& x, const Real& y) { return x > y; });
  for (Index k = 1; k < b; ++k) {
    values.add(once(k), 1);
  }
  return {sorted(values), once(0)};
}

using Matrix50 = MatrixOf<Real50>;
template SingularValuesOf<double> two_level_singular_values(const ClassGroups&);
template SingularValuesOf<Real50> two_level_singular_values(const ClassGroups&);
template SingularValuesOf<double> residual_singular_values(const ClassGroups&);
template SingularValuesOf<Real50> residual_singular_values(const ClassGroups&);
template SignUpdateSpectrum<double> sign_update_spectrum(const Matrix&, const Matrix&, double);
template SignUpdateSpectrum<Real50> sign_update_spectrum(const Matrix50&, const Matrix50&, double);

}  // namespace rarefact
