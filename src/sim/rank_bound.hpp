#pragma once

/// The largest rank that gradients, W and its updates can have.

#include <algorithm>

#include "algebra/dense_matrix.hpp"
#include "algebra/symmetric_matrix.hpp"
#include "sim/inputs.hpp"

namespace rarefact {

/// The sides whose embeddings bound a rank.
struct RankSides {
  bool answers = true, queries = true;
};

/// The largest rank of gradients of the softmax loss: columns of Ẽ G Eᵀ are in Ẽ(1⊥), its rows in the span of the
/// queries. Infinite if nothing is known. `embeddings`: null on sides that are orthonormal, or of attributes in orbits.
///
/// In orbits (AttributeView), with C values of the uniform attribute and U of the other, G takes what permutations of the C
/// leave alone, U + 1 dimensions, to U - 1 dimensions, since columns sum to zero, and contrasts of the C, C - 1
/// dimensions, to contrasts: its rank is at most U + C - 2, as is that of sums of gradients. Dense runs are bounded by the
/// span of the queries, U + C - 1: their rank grows where rounding breaks the symmetry, which must be seen.
double gradient_rank(const Experiment& experiment, const Spectrum& spectrum,
                     const DenseEmbeddings& embeddings, RankSides sides = {});

/// The largest rank of the gradient at logits S under the laws Π: queries with the same law and the same logits have parallel
/// columns, such answers the same rows, and columns sum to zero.
double gradient_rank_at(const DenseMatrix& laws, const DenseMatrix& logits);
template <class Real>
double gradient_rank_at(const SymmetricMatrix<Real>& laws, const SymmetricMatrix<Real>&) {
  const GroupStructure& s = laws.structure();
  double rank = static_cast<double>(std::min(s.rows() - 1, s.columns()));
  for (Index i = 0; i < s.groups(); ++i)
    if (s.count[i] > 1)
      rank +=
          (s.count[i] - 1) * static_cast<double>(std::min(s.row_types().size(i), s.column_types().size(i)));
  return rank;
}

/// The largest ranks of W and of D in exact arithmetic; further singular values are rounding noise.
struct RankBounds {
  double weights, update;
};

/// If a rule is rotation-equivariant on a side, D stays in the space of gradients there, unless its formula reads W or
/// weight decay adds it; W does if it starts at 0, or on the manifold of attributes.
RankBounds rank_bounds(const Experiment& experiment, const OptimizerChoice& choice, const Spectrum& spectrum,
                       const DenseEmbeddings& embeddings);

}  // namespace rarefact
