/// The first step of SignGD with rotated blocks.

#include <algorithm>
#include <limits>
#include <memory>
#include <stdexcept>

#include "core/real50.hpp"
#include "theory/one_step.hpp"

namespace rarefact {

namespace {

template <class Real>
MatrixOf<Real> signs(const MatrixOf<Real>& x) {
  return x.unaryExpr([](const Real& e) { return Real(e > Real(0) ? 1 : e < Real(0) ? -1 : 0); });
}

/// The update seen in the task basis: R̃ᵀ update R.
template <class Real>
BlockPair<Real> sign_logits(const MatrixOf<Real>& answer_block, const MatrixOf<Real>& query_block,
                            const Real& class_total) {
  const BlockPair<Real> update = coupled_sign_update(answer_block, query_block, class_total);
  return {answer_block.transpose() * update.own * query_block,
          answer_block.transpose() * update.other * query_block};
}

}  // namespace

template <class Real>
BlockPair<Real> coupled_sign_update(const MatrixOf<Real>& answer_block, const MatrixOf<Real>& query_block,
                                    const Real& class_total) {
  const Index b = answer_block.rows();
  if (b == 0 || answer_block.cols() != b || query_block.rows() != b || query_block.cols() != b) {
    throw std::invalid_argument("the blocks of answers and queries must be square and of one size");
  }
  if (!(class_total > Real(0))) throw std::invalid_argument("K must be positive");
  const MatrixOf<Real> sums = answer_block.rowwise().sum() * query_block.rowwise().sum().transpose();
  const MatrixOf<Real> own = answer_block * query_block.transpose() - sums / class_total;
  return {signs<Real>(own), signs<Real>(-sums)};
}

template <class Real>
SymmetricMatrix<Real> coupled_sign_direction(const MatrixOf<Real>& answer_block,
                                             const MatrixOf<Real>& query_block, double class_total) {
  const Index b = answer_block.rows();
  const double blocks = class_total / static_cast<double>(b);
  if (!(blocks >= 2 && blocks <= std::numeric_limits<double>::max()))
    throw std::invalid_argument("K must be finite and at least two blocks");
  const BlockPair<Real> logits = sign_logits(answer_block, query_block, Real(class_total));
  SymmetricMatrix<Real> direction(std::make_shared<const GroupStructure>(GroupStructure{b, {blocks}}));
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

using Matrix50 = MatrixOf<Real50>;
template BlockPair<double> coupled_sign_update(const Matrix&, const Matrix&, const double&);
template BlockPair<Real50> coupled_sign_update(const Matrix50&, const Matrix50&, const Real50&);
template SymmetricMatrix<double> coupled_sign_direction(const Matrix&, const Matrix&, double);
template SymmetricMatrix<Real50> coupled_sign_direction(const Matrix50&, const Matrix50&, double);
template CoupledSignMargins<double> coupled_sign_margins(const Matrix&, const Matrix&, const double&);
template CoupledSignMargins<Real50> coupled_sign_margins(const Matrix50&, const Matrix50&, const Real50&);

}  // namespace rarefact
