/// The first update of SignGD with the rotated blocks of wang2025, E = I ⊗ R, Ẽ = I ⊗ R̃, where the classes of a block
/// are equally likely: p drops out, and all blocks are equal. It is sign(-∇L) in the coordinates of W,
///
///     own = sign(R̃Rᵀ - (R̃1)(R1)ᵀ/K),   other = -sign((R̃1)(R1)ᵀ),   sign(0) = 0.

#include "algebra/decompositions.hpp"
#include "algebra/product.hpp"
#include "model/embedding.hpp"
#include "theory/closed_form.hpp"
#include "theory/require_legal.hpp"

namespace rarefact {

namespace {

template <class Real>
struct Blocks {
  MatrixOf<Real> answers = rotation_block({}, "answer").cast<Real>(),
                 queries = rotation_block({}, "query").cast<Real>();

  /// The update within a block, or between two blocks.
  MatrixOf<Real> update(bool within, const Real& class_total) const {
    require_legal(class_total > Real(0), "K must be positive");
    const MatrixOf<Real> sums = answers.rowwise().sum() * queries.rowwise().sum().transpose();
    const MatrixOf<Real> gradient =
        within ? MatrixOf<Real>(times(answers, queries.transpose()) - sums / class_total)
               : MatrixOf<Real>(-sums);
    return gradient.unaryExpr([](const Real& e) { return Real(e > Real(0) ? 1 : e < Real(0) ? -1 : 0); });
  }
};

/// The k-th number of a list, counted from 1.
template <class Real>
Index place_of(const Real& number, Index size) {
  const double place = static_cast<double>(number);
  require_legal(place >= 1 && place <= static_cast<double>(size) && place == std::floor(place),
                "rows and columns of a block count from 1");
  return static_cast<Index>(place) - 1;
}

/// The change of the logits for η = 1, and the position of a class in its block.
template <class Real>
struct ClassLogits {
  MatrixOf<Real> within, between;  ///< R̃ᵀ own R, R̃ᵀ other R
  Index place;

  ClassLogits(const Real& number, const Real& class_total) {
    const Blocks<Real> blocks;
    const auto seen = [&](bool same) {
      return times(times(blocks.answers.transpose(), blocks.update(same, class_total)), blocks.queries);
    };
    within = seen(true);
    between = seen(false);
    place = place_of(number, within.cols());
  }
  const Real& right() const { return within(place, place); }
};

template <class Real>
Real sign_block_margin(const Real* x) {
  const ClassLogits<Real> logits(x[0], x[2]);
  if (x[1] == Real(0)) return logits.right() - logits.between.col(logits.place).maxCoeff();
  Real margin = std::numeric_limits<Real>::infinity();
  for (Index r = 0; r < logits.within.rows(); ++r)
    if (r != logits.place) margin = std::min(margin, Real(logits.right() - logits.within(r, logits.place)));
  return margin;
}

template <class Real>
Real sign_block_odds(const Real* x) {
  using std::exp;
  const ClassLogits<Real> logits(x[0], x[2]);
  const Real others = x[2] / Real(logits.within.rows()) - Real(1);
  Real odds(0);
  for (Index r = 0; r < logits.within.rows(); ++r) {
    if (r != logits.place) odds += exp(Real(x[1] * (logits.within(r, logits.place) - logits.right())));
    odds += others * exp(Real(x[1] * (logits.between(r, logits.place) - logits.right())));
  }
  return odds;
}

/// In 50 digits throughout, because next to σ = K doubles lose the small singular values.
Real50 sign_block_value(const Real50* x) {
  const Blocks<Real50> blocks;
  VectorOf<Real50> sigma = one_sided_jacobi<Real50>(MatrixOf<Real50>(blocks.update(true, x[2]) +
                                                                     (x[1] - 1) * blocks.update(false, x[2])))
                               .sigma;
  std::sort(sigma.data(), sigma.data() + sigma.size(), std::greater<>());
  return sigma(place_of(x[0], sigma.size()));
}

}  // namespace

std::vector<ClosedForm> sign_block_forms() {
  return {
      {{"sign_block_margin",
        "right logit minus largest wrong logit of class c after a step of SignGD with rotated blocks at η = 1; wrong logits of its own block (own = 1) or of the others",
        "D_cc - max_r D_rc or O_rc, D = R̃ᵀ sign(R̃Rᵀ - (R̃1)(R1)ᵀ/K) R, O = -R̃ᵀ sign((R̃1)(R1)ᵀ) R",
        "wang2025, Theorem 5.3"},
       {"c", "own", "K"},
       sign_block_margin<double>,
       sign_block_margin<Real50>},
      {{"sign_block_odds", "the odds of a wrong answer of that class after a step of size η",
        "Σ_r≠c e^(η(D_rc - D_cc)) + (K/b - 1) Σ_r e^(η(O_rc - D_cc))", "wang2025, Theorem 5.3"},
       {"c", "eta", "K"},
       sign_block_odds<double>,
       sign_block_odds<Real50>},
      {{"sign_block_value",
        "the i-th singular value of that update for n blocks, in the direction in which all blocks agree; n = 0: in all others",
        "σ_i(own + (n-1) other)", "wang2025, Theorem 5.3"},
       {"i", "n", "K"},
       [](const double* x) {
         const Real50 exact[] = {x[0], x[1], x[2]};
         return static_cast<double>(sign_block_value(exact));
       },
       sign_block_value},
  };
}

}  // namespace rarefact
