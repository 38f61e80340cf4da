#include "verify/wang2025/coupled_signgd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "algebra/decompositions.hpp"
#include "algebra/product.hpp"
#include "core/real50.hpp"
#include "theory/require_legal.hpp"

namespace rarefact::checks::wang2025 {

namespace {

/// A b x b matrix for a block with itself and one for a block with a different one.
template <class Real>
struct BlockPair {
  MatrixOf<Real> own, other;
};

/// K/b. std::invalid_argument unless that is finite and at least 2.
double number_of_blocks(double class_total, Index block) {
  const double blocks = class_total / static_cast<double>(block);
  require_legal(blocks >= 2 && std::isfinite(blocks), "K must be finite and at least two blocks");
  return blocks;
}

template <class Real>
MatrixOf<Real> signs(const MatrixOf<Real>& x) {
  return x.unaryExpr([](const Real& e) { return Real(e > Real(0) ? 1 : e < Real(0) ? -1 : 0); });
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
template SymmetricMatrix<double> coupled_sign_direction(const Matrix&, const Matrix&, double);
template SymmetricMatrix<Real50> coupled_sign_direction(const Matrix50&, const Matrix50&, double);
template CoupledSignMargins<double> coupled_sign_margins(const Matrix&, const Matrix&, const double&);
template CoupledSignMargins<Real50> coupled_sign_margins(const Matrix50&, const Matrix50&, const Real50&);
template SignUpdateSpectrum<double> sign_update_spectrum(const Matrix&, const Matrix&, double);
template SignUpdateSpectrum<Real50> sign_update_spectrum(const Matrix50&, const Matrix50&, double);

}  // namespace rarefact::checks::wang2025
