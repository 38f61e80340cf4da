#pragma once

/// The two embeddings of an experiment in the form an engine takes.

#include <memory>

#include "rarefact/model/embedding.hpp"
#include "rarefact/model/symmetric_memory.hpp"
#include "rarefact/sim/experiment.hpp"

namespace rarefact {

/// E and Ẽ written out; null stands for the identity.
struct DenseEmbeddings {
  std::shared_ptr<const Matrix> query, answer;
};
DenseEmbeddings dense_embeddings(const Experiment& experiment, double classes, const ArrayReader& reader);

/// E and Ẽ in the symmetric algebra with blocks of `block` classes. Those that drop out of the problem are
/// the identity.
struct SymmetricEmbeddings {
  SymmetricEmbedding<double> query, answer;
};
SymmetricEmbeddings symmetric_embeddings(const Experiment& experiment, Index block);

}  // namespace rarefact
