/// The first step of Muon in closed form.

#include "algebra/product.hpp"
#include "theory/one_step.hpp"
#include "theory/require_legal.hpp"

namespace rarefact {

namespace {

SharedStructure structure_of(const ClassGroups& groups) {
  return std::make_shared<const GroupStructure>(GroupStructure::blocks(1, groups.count));
}

/// u_i = (n_i/K)^½.
template <class Real>
VectorOf<Real> trivial_vector(const ClassGroups& groups) {
  using std::sqrt;
  VectorOf<Real> counts(static_cast<Index>(groups.size()));
  for (Index i = 0; i < counts.size(); ++i) counts(i) = Real(groups.count[i]);
  const Real total = counts.sum();
  return counts.unaryExpr([&total](const Real& n) { return Real(sqrt(Real(n / total))); });
}

/// p_j/max p: the polar factor does not depend on the scale, and this one cannot overflow.
template <class Real>
VectorOf<Real> relative_probabilities(const ClassGroups& groups) {
  VectorOf<Real> p(static_cast<Index>(groups.size()));
  for (Index j = 0; j < p.size(); ++j) p(j) = Real(groups.probability[j]);
  return p / p.maxCoeff();
}

/// An orthonormal basis of the complement of u, M x (M-1): all but one column of the reflection that maps u to a coordinate
/// vector e_k, u_k the largest. Every entry is accurate to rounding, even if u_k is nearly 1.
template <class Real>
MatrixOf<Real> complement_of(const VectorOf<Real>& u) {
  Index k = 0;
  const Real largest = u.maxCoeff(&k);
  MatrixOf<Real> basis(u.size(), u.size() - 1);
  for (Index column = 0; column < basis.cols(); ++column) {
    const Index j = column < k ? column : column + 1;
    for (Index i = 0; i < u.size(); ++i)
      basis(i, column) =
          i == k ? Real(-u(j)) : Real(Real(i == j ? 1 : 0) - u(i) * u(j) / (Real(1) + largest));
  }
  return basis;
}

/// msgn(Y), Y = H (Hᵀ diag(p)), H a basis of the complement of u. Hᵀ diag(p) has full rank M - 1: no rank decision is
/// needed.
template <class Real>
MatrixOf<Real> polar_of_trivial_part(const ClassGroups& groups) {
  const MatrixOf<Real> h = complement_of<Real>(trivial_vector<Real>(groups));
  const MatrixOf<Real> reduced = h.transpose() * relative_probabilities<Real>(groups).asDiagonal();
  return times(h, polar_factor<Real>(reduced));
}

/// msgn(T B) B, B = A^½ on vectors that are constant on groups: c I + (b - c) uuᵀ.
template <class Real>
MatrixOf<Real> correlated_trivial_part(const ClassGroups& groups, const Real& c, const Real& b) {
  const VectorOf<Real> u = trivial_vector<Real>(groups), p = relative_probabilities<Real>(groups);
  const MatrixOf<Real> h = complement_of<Real>(u);
  const VectorOf<Real> common = h.transpose() * u.cwiseProduct(p);
  const MatrixOf<Real> reduced =
      c * MatrixOf<Real>(h.transpose() * p.asDiagonal()) + ((b - c) * common) * u.transpose();
  const MatrixOf<Real> polar = times(h, polar_factor<Real>(reduced));
  const VectorOf<Real> along = polar * u;
  return c * polar + (b - c) * along * u.transpose();
}

}  // namespace

template <class Real>
SymmetricMatrix<Real> muon_direction(const ClassGroups& groups, Given<Real> cosine) {
  using std::sqrt;
  const Real contrast = sqrt(Real(1 - cosine)),
             common = sqrt(Real(1 - cosine + Real(groups.total()) * cosine));
  IrreducibleParts<Real> parts{VectorOf<Real>::Constant(static_cast<Index>(groups.size()), contrast),
                               cosine == 0 ? polar_of_trivial_part<Real>(groups)
                                           : correlated_trivial_part<Real>(groups, contrast, common)};
  return from_parts(structure_of(groups), parts);
}

template <class Real>
Real muon_deficit_constant(const ClassGroups& groups, Given<Real> epsilon) {
  require_legal(epsilon > Real(0) && epsilon < Real(1), "ε must lie in (0, 1)");
  const VectorOf<Real> roots_of_shares = trivial_vector<Real>(groups);
  const VectorOf<Real> b =
      (polar_of_trivial_part<Real>(groups).diagonal().array() - Real(1)) / roots_of_shares.array().square();
  return (Real(1) - epsilon) * (b.maxCoeff() - b.minCoeff());
}

template SymmetricMatrix<double> muon_direction<double>(const ClassGroups&, const double&);
template SymmetricMatrix<Real50> muon_direction<Real50>(const ClassGroups&, const Real50&);
template double muon_deficit_constant(const ClassGroups&, Given<double>);
template Real50 muon_deficit_constant(const ClassGroups&, Given<Real50>);

}  // namespace rarefact
