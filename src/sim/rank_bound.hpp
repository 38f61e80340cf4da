#pragma once

/// The largest rank that W and its updates can have.

#include "sim/inputs.hpp"

namespace rarefact {

/// The largest rank of W and of D of a rule on the softmax loss in exact arithmetic; further singular values are
/// rounding noise. Infinite if nothing is known.
///
/// Columns of Ẽ G Eᵀ are in Ẽ(1⊥), its rows in the span of the queries. A rule that is rotation-equivariant on a side
/// stays in that space. `embeddings`: null on sides that are orthonormal.
double rank_bound(const Experiment& experiment, const Spectrum& spectrum, const Symmetries& rule,
                  const DenseEmbeddings& embeddings);

}  // namespace rarefact
