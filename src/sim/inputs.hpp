#pragma once

/// Embeddings and samples of an experiment in the form that engines need.

#include <array>
#include <mutex>

#include "experiment/experiment.hpp"
#include "model/answer_law.hpp"
#include "model/sampler.hpp"
#include "optim/update_rule.hpp"

namespace rarefact {

/// E and Ẽ as dense matrices; null: the identity.
struct DenseEmbeddings {
  std::shared_ptr<const Matrix> query, answer;
};
/// R Pᵀ of E P = Q R, P an order of the columns, in which R is upper triangular; null for the identity. A
/// rule that is rotation-equivariant on this side follows the same path in these coordinates: W becomes W Q
/// (Q̃ᵀ W for answers), so logits, gradients in the task basis and singular values are the same, and products
/// with triangles cost half. With the rarest queries last, columns of G Eᵀ have the sizes of those of G, so
/// that rare ones keep their digits.
std::shared_ptr<const Matrix> triangular_factor(const std::shared_ptr<const Matrix>& embedding,
                                                const std::vector<Index>& order = {});

/// The number of pairs drawn in all steps of a run on samples.
double all_draws(const Experiment& experiment);

/// A population of these queries, each with its own answer; and that of a spectrum with its law, written out if needed.
Population population_of(const Experiment& experiment, const Spectrum& spectrum, const ClassGroups& queries);
Population population_of(const Experiment& experiment, const Spectrum& spectrum,
                         const WrittenLaw* written = nullptr);

/// The sample of step t, valid until the next call; empty function for population gradients.
using SampleSource = std::function<const Sample&(std::int64_t step)>;

/// Inputs shared by the optimizers of an experiment, each computed at the first request, from any thread.
class SharedInputs {
 public:
  SharedInputs(const Experiment& experiment, const Spectrum& spectrum, ArrayReader reader,
               const Workers& workers)
      : experiment_(experiment), spectrum_(spectrum), reader_(std::move(reader)), workers_(workers) {}

  /// The embeddings, or their triangular factors for sides on which the rule is rotation-equivariant.
  DenseEmbeddings embeddings(const Symmetries& rule);

  /// A drawn start, or that of a file, of these sizes: of W or U (factor 0) or of V (1). Throws InputError.
  std::shared_ptr<const Matrix> start(std::size_t factor, Index rows, Index columns);

  /// The answer law, written out; null for the identity.
  const WrittenLaw* law();

  /// The samples for one training; trainings may run in parallel. A minibatch is drawn at its step, from the
  /// stream "minibatch"; a dataset once, from the stream "dataset" at step 0. So all optimizers of the
  /// experiment see the same samples. Precondition: experiment.sampled().
  SampleSource samples();

  /// The sampled classes, which number the classes in samples. Caches draws up to a limit.
  const SampledClasses& sampled();
  SampleSource sampled_draws();

 private:
  const Experiment& experiment_;
  const Spectrum& spectrum_;
  const ArrayReader reader_;
  const Workers& workers_;
  // Call with the lock held.
  const WrittenLaw* law_written();
  std::vector<Index> rarest_last();
  const Sampler& sampler();
  std::vector<Draw> drawn_at(std::int64_t step) const;

  std::mutex making_;
  std::optional<WrittenLaw> law_;
  std::optional<DenseEmbeddings> written_out_;
  DenseEmbeddings triangular_;
  std::array<std::shared_ptr<const Matrix>, 2> starts_;
  std::shared_ptr<const Sampler> sampler_;
  std::shared_ptr<const Sample> dataset_;
  std::unique_ptr<const SampledClasses> sampled_;
  std::vector<std::vector<Draw>> kept_;  // draws of the first steps; complete once sampled_ is set
};

}  // namespace rarefact
