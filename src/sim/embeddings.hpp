#pragma once

/// The two embeddings of an experiment in the form an engine takes.

#include <memory>
#include <optional>

#include "experiment/experiment.hpp"
#include "model/embedding.hpp"
#include "model/symmetric_memory.hpp"

namespace rarefact {

/// E and Ẽ written out; null stands for the identity.
struct DenseEmbeddings {
  std::shared_ptr<const Matrix> query, answer;
};
DenseEmbeddings dense_embeddings(const Experiment& experiment, double classes, const ArrayReader& reader);

/// R of E = Q R (and of Ẽ) where d >= K, upper triangular; an embedding with d < K as it is. A rule that is
/// rotation-equivariant takes the same path in these coordinates: W becomes Q̃ᵀ W Q, so logits, gradients in
/// the task basis and singular values are the same, and products with triangles cost half.
DenseEmbeddings triangular_factors(const DenseEmbeddings& embeddings);

/// Both forms, each built once, when the first optimizer asks for it. Not for several threads at once.
class SharedEmbeddings {
 public:
  const DenseEmbeddings& written_out(const Experiment& experiment, double classes, const ArrayReader& reader);
  const DenseEmbeddings& triangular(const Experiment& experiment, double classes, const ArrayReader& reader);

 private:
  std::optional<DenseEmbeddings> written_out_, triangular_;
};

/// E and Ẽ in the symmetric algebra with blocks of `block` classes. Those that drop out of the problem are
/// the identity.
struct SymmetricEmbeddings {
  SymmetricEmbedding<double> query, answer;
};
SymmetricEmbeddings symmetric_embeddings(const Experiment& experiment, Index block);

}  // namespace rarefact
