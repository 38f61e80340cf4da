/// Directions of the first step: Muon, and SignGD with rotated blocks.

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "algebra/polar.hpp"
#include "algebra/product.hpp"
#include "core/real50.hpp"
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

/// p_j/max p: the polar factor has no scale, and small numbers are safer.
template <class Real>
VectorOf<Real> relative_probabilities(const ClassGroups& groups) {
  VectorOf<Real> p(static_cast<Index>(groups.size()));
  for (Index j = 0; j < p.size(); ++j) p(j) = Real(groups.probability[j]);
  return p / p.maxCoeff();
}

/// M x (M-1), orthonormal columns orthogonal to u: all but one column of the reflection that takes u to a
/// coordinate vector e_k, u_k the largest. Every entry is accurate to rounding, also where u_k is nearly 1.
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

/// msgn(T). T = H (Hᵀ diag(p)) with H a basis of u's complement; the factor in brackets has full rank, M - 1,
/// so that nothing is left to a rank decision.
template <class Real>
MatrixOf<Real> polar_of_trivial_part(const ClassGroups& groups) {
  const MatrixOf<Real> h = complement_of<Real>(trivial_vector<Real>(groups));
  const MatrixOf<Real> reduced = h.transpose() * relative_probabilities<Real>(groups).asDiagonal();
  return times(h, polar_factor<Real>(reduced));
}

template <class Real>
SymmetricMatrix<Real> with_contrasts(const ClassGroups& groups, MatrixOf<Real> trivial_polar) {
  IrreducibleParts<Real> parts{VectorOf<Real>::Ones(trivial_polar.cols()), std::move(trivial_polar)};
  return from_parts(structure_of(groups), parts);
}

template <class Real>
MatrixOf<Real> signs(const MatrixOf<Real>& x) {
  return x.unaryExpr([](const Real& e) { return Real(e > Real(0) ? 1 : e < Real(0) ? -1 : 0); });
}

/// The update seen in the task basis: R̃ᵀ update R.
template <class Real>
BlockPair<Real> sign_logits(const MatrixOf<Real>& answer_block, const MatrixOf<Real>& query_block,
                            const Real& class_total) {
  const BlockPair<Real> update = coupled_sign_update(answer_block, query_block, class_total);
  const auto seen = [&](const MatrixOf<Real>& x) {
    return times(times(answer_block.transpose(), x), query_block);
  };
  return {seen(update.own), seen(update.other)};
}

}  // namespace

template <class Real>
SymmetricMatrix<Real> muon_direction(const ClassGroups& groups) {
  return with_contrasts<Real>(groups, polar_of_trivial_part<Real>(groups));
}

template <class Real>
Real muon_deficit_constant(const ClassGroups& groups, Given<Real> epsilon) {
  require_legal(epsilon > Real(0) && epsilon < Real(1), "ε must lie in (0, 1)");
  const VectorOf<Real> roots_of_shares = trivial_vector<Real>(groups);
  const VectorOf<Real> b =
      (polar_of_trivial_part<Real>(groups).diagonal().array() - Real(1)) / roots_of_shares.array().square();
  return (Real(1) - epsilon) * (b.maxCoeff() - b.minCoeff());
}

double number_of_blocks(double class_total, Index block) {
  const double blocks = class_total / static_cast<double>(block);
  require_legal(blocks >= 2 && std::isfinite(blocks), "K must be finite and at least two blocks");
  return blocks;
}

template <class Real>
BlockPair<Real> coupled_sign_update(const MatrixOf<Real>& answer_block, const MatrixOf<Real>& query_block,
                                    const Real& class_total) {
  const Index b = answer_block.rows();
  require_legal(b > 0 && answer_block.cols() == b && query_block.rows() == b && query_block.cols() == b,
                "the blocks of answers and queries must be square and of one size");
  require_legal(class_total > Real(0), "K must be positive");
  const MatrixOf<Real> sums = answer_block.rowwise().sum() * query_block.rowwise().sum().transpose();
  const MatrixOf<Real> own = times(answer_block, query_block.transpose()) - sums / class_total;
  return {signs<Real>(own), signs<Real>(-sums)};
}

template <class Real>
SymmetricMatrix<Real> coupled_sign_direction(const MatrixOf<Real>& answer_block,
                                             const MatrixOf<Real>& query_block, double class_total) {
  const Index b = answer_block.rows();
  const double blocks = number_of_blocks(class_total, b);
  const BlockPair<Real> logits = sign_logits(answer_block, query_block, Real(class_total));
  SymmetricMatrix<Real> direction(
      std::make_shared<const GroupStructure>(GroupStructure::blocks(b, {blocks})));
  direction.own(0) = logits.own;
  direction.other(0, 0) = logits.other;
  return direction;
}

template <class Real>
CoupledSignMargins<Real> coupled_sign_margins(const MatrixOf<Real>& answer_block,
                                              const MatrixOf<Real>& query_block, const Real& class_total) {
  const BlockPair<Real> logits = sign_logits(answer_block, query_block, class_total);
  const Index b = answer_block.rows();
  CoupledSignMargins<Real> margins{VectorOf<Real>(b), VectorOf<Real>(b), {}, {}};
  for (Index c = 0; c < b; ++c) {
    const Real right = logits.own(c, c);
    margins.to_others(c) = right - logits.other.col(c).maxCoeff();
    margins.within(c) = std::numeric_limits<Real>::infinity();
    for (Index r = 0; r < b; ++r) {
      if (r != c) margins.within(c) = std::min(margins.within(c), Real(right - logits.own(r, c)));
    }
  }
  margins.ratio = margins.to_others.minCoeff() / margins.to_others.maxCoeff();
  Real widest(0);
  for (Index c = 0; c < b; ++c) {
    if (margins.within(c) > Real(0)) widest = std::max(widest, margins.to_others(c));
  }
  margins.exponent = std::numeric_limits<Real>::quiet_NaN();
  if (!(widest > Real(0))) return margins;
  margins.exponent = Real(0);  // odds below 1 leave p̂ near 1
  for (Index c = 0; c < b; ++c) {
    const Real others = Real(1) - margins.to_others(c) / widest, within = -margins.within(c) / widest;
    margins.exponent = std::max({margins.exponent, others, within});
  }
  return margins;
}

template SymmetricMatrix<double> muon_direction(const ClassGroups&);
template SymmetricMatrix<Real50> muon_direction(const ClassGroups&);
template double muon_deficit_constant(const ClassGroups&, Given<double>);
template Real50 muon_deficit_constant(const ClassGroups&, Given<Real50>);

using Matrix50 = MatrixOf<Real50>;
template BlockPair<double> coupled_sign_update(const Matrix&, const Matrix&, const double&);
template BlockPair<Real50> coupled_sign_update(const Matrix50&, const Matrix50&, const Real50&);
template SymmetricMatrix<double> coupled_sign_direction(const Matrix&, const Matrix&, double);
template SymmetricMatrix<Real50> coupled_sign_direction(const Matrix50&, const Matrix50&, double);
template CoupledSignMargins<double> coupled_sign_margins(const Matrix&, const Matrix&, const double&);
template CoupledSignMargins<Real50> coupled_sign_margins(const Matrix50&, const Matrix50&, const Real50&);

}  // namespace rarefact
