#include "sim/embeddings.hpp"

#include <Eigen/QR>

namespace rarefact {

namespace {

std::shared_ptr<const Matrix> dense(const Component& side, const char* stream, const Experiment& experiment,
                                    double classes, const ArrayReader& reader) {
  const EmbeddingRow& row = embedding_row(side.kind);
  if (row.identity) return nullptr;
  return std::make_shared<const Matrix>(
      row.make(side.parameters, {.classes = static_cast<Index>(classes),
                                 .seed = static_cast<std::uint64_t>(experiment.seed),
                                 .stream = stream,
                                 .reader = reader}));
}

SymmetricEmbedding<double> symmetric(const Component& side, const char* stream, Index block) {
  const EmbeddingRow& row = embedding_row(side.kind);
  SymmetricEmbedding<double> embedding;
  if (row.equicorrelated) embedding.correlation = side.parameters.number("rho");
  if (block > 1 && row.block) embedding.block = rotation_block(side.parameters, stream);
  return embedding;
}

std::shared_ptr<const Matrix> triangular(const std::shared_ptr<const Matrix>& embedding) {
  if (!embedding || embedding->rows() < embedding->cols()) return embedding;
  const Eigen::HouseholderQR<Matrix> qr(*embedding);
  return std::make_shared<const Matrix>(
      qr.matrixQR().topRows(embedding->cols()).triangularView<Eigen::Upper>());
}

}  // namespace

DenseEmbeddings dense_embeddings(const Experiment& experiment, double classes, const ArrayReader& reader) {
  return {dense(experiment.query_embedding, "query", experiment, classes, reader),
          dense(experiment.answer_embedding, "answer", experiment, classes, reader)};
}

DenseEmbeddings triangular_factors(const DenseEmbeddings& embeddings) {
  return {triangular(embeddings.query), triangular(embeddings.answer)};
}

const DenseEmbeddings& SharedEmbeddings::written_out(const Experiment& experiment, double classes,
                                                     const ArrayReader& reader) {
  if (!written_out_) written_out_ = dense_embeddings(experiment, classes, reader);
  return *written_out_;
}

const DenseEmbeddings& SharedEmbeddings::triangular(const Experiment& experiment, double classes,
                                                    const ArrayReader& reader) {
  if (!triangular_) triangular_ = triangular_factors(written_out(experiment, classes, reader));
  return *triangular_;
}

SymmetricEmbeddings symmetric_embeddings(const Experiment& experiment, Index block) {
  return {symmetric(experiment.query_embedding, "query", block),
          symmetric(experiment.answer_embedding, "answer", block)};
}

}  // namespace rarefact
