#pragma once

/// The samples of an experiment, whose gradients its steps take.

#include <cstdint>
#include <functional>
#include <memory>

#include "experiment/experiment.hpp"
#include "model/sampler.hpp"

namespace rarefact {

/// The sample of step t, valid until the next call; empty where a step takes the population's gradient.
using SampleSource = std::function<const Sample&(std::int64_t step)>;

/// Draws for all trainings of an experiment. A minibatch is drawn when its step comes, from the stream
/// "minibatch" of the seed at that step, a dataset once, from the stream "dataset" at step 0. So the samples
/// are those of the experiment: all its optimizers see the same ones.
class Samples {
 public:
  /// Precondition: experiment.sampled(). Draws the dataset.
  Samples(const Experiment& experiment, const ClassGroups& groups, const Workers& workers);

  /// For one training; trainings may run side by side. `workers` must outlive it.
  SampleSource source(const Workers& workers) const;

 private:
  std::shared_ptr<const Sampler> sampler_;
  std::shared_ptr<const Sample> dataset_;  // null for minibatches
  std::int64_t draws_;
};

}  // namespace rarefact
