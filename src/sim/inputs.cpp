#include "sim/inputs.hpp"

#include <Eigen/QR>

#include "model/sampler.hpp"

namespace rarefact {

namespace {

std::shared_ptr<const Matrix> written_out(const Component& side, const char* stream,
                                          const Experiment& experiment, double classes,
                                          const ArrayReader& reader) {
  const EmbeddingRow& row = embedding_row(side.kind);
  if (row.identity) return nullptr;
  return std::make_shared<const Matrix>(
      row.make(side.parameters, {.classes = static_cast<Index>(classes),
                                 .seed = static_cast<std::uint64_t>(experiment.seed),
                                 .stream = stream,
                                 .reader = reader}));
}

SymmetricEmbedding<double> symmetric(const Component& side, const char* stream, bool rotates, Index block) {
  const EmbeddingRow& row = embedding_row(side.kind);
  SymmetricEmbedding<double> embedding;
  if (row.orthonormal && rotates) return embedding;
  if (row.equicorrelated) embedding.correlation = side.parameters.number("rho");
  if (block > 1 && row.block) embedding.block = rotation_block(side.parameters, stream);
  return embedding;
}

}  // namespace

std::shared_ptr<const Matrix> triangular_factor(const std::shared_ptr<const Matrix>& embedding) {
  if (!embedding || embedding->rows() < embedding->cols()) return embedding;
  const Eigen::HouseholderQR<Matrix> qr(*embedding);
  return std::make_shared<const Matrix>(
      qr.matrixQR().topRows(embedding->cols()).triangularView<Eigen::Upper>());
}

SymmetricEmbeddings symmetric_embeddings(const Experiment& experiment, const Symmetries& rule, Index block) {
  return {symmetric(experiment.query_embedding, "query", rule.queries_rotate, block),
          symmetric(experiment.answer_embedding, "answer", rule.answers_rotate, block)};
}

DenseEmbeddings SharedInputs::embeddings(const Symmetries& rule) {
  const std::lock_guard lock(making_);
  if (!written_out_) {
    written_out_ = {
        written_out(experiment_.query_embedding, "query", experiment_, spectrum_.classes, reader_),
        written_out(experiment_.answer_embedding, "answer", experiment_, spectrum_.classes, reader_)};
  }
  DenseEmbeddings chosen = *written_out_;
  for (const auto& [rotates, side] : {std::pair(rule.queries_rotate, &DenseEmbeddings::query),
                                      std::pair(rule.answers_rotate, &DenseEmbeddings::answer)}) {
    if (!rotates) continue;
    if (!(triangular_.*side)) triangular_.*side = triangular_factor(chosen.*side);
    chosen.*side = triangular_.*side;
  }
  return chosen;
}

SampleSource SharedInputs::samples() {
  const std::lock_guard lock(making_);
  const auto draws = static_cast<std::int64_t>(draws_of(experiment_.data_mode, experiment_.data_parameters));
  if (!sampler_) {
    const RandomStream stream(static_cast<std::uint64_t>(experiment_.seed), experiment_.data_mode);
    sampler_ =
        std::make_shared<const Sampler>(Population{*spectrum_.groups, experiment_.label_noise}, stream);
    if (experiment_.data_mode == "dataset")
      dataset_ = std::make_shared<const Sample>(sampler_->sample(0, draws, workers_));
  }
  if (dataset_) return [dataset = dataset_](std::int64_t) -> const Sample& { return *dataset; };
  return [sampler = sampler_, draws, &workers = workers_,
          drawn = std::make_shared<Sample>()](std::int64_t step) -> const Sample& {
    *drawn = sampler->sample(static_cast<std::uint64_t>(step), draws, workers);
    return *drawn;
  };
}

}  // namespace rarefact
