#include "sim/sample_source.hpp"

#include "model/data_mode.hpp"

namespace rarefact {

Samples::Samples(const Experiment& experiment, const ClassGroups& groups, const Workers& workers)
    : draws_(static_cast<std::int64_t>(draws_of(experiment.data_mode, experiment.data_parameters))) {
  const RandomStream stream(static_cast<std::uint64_t>(experiment.seed), experiment.data_mode);
  sampler_ = std::make_shared<const Sampler>(groups, experiment.label_noise, stream);
  if (experiment.data_mode == "dataset")
    dataset_ = std::make_shared<const Sample>(sampler_->sample(0, draws_, workers));
}

SampleSource Samples::source(const Workers& workers) const {
  if (dataset_) {
    return [dataset = dataset_](std::int64_t) -> const Sample& { return *dataset; };
  }
  return [sampler = sampler_, draws = draws_, &workers,
          drawn = std::make_shared<Sample>()](std::int64_t step) -> const Sample& {
    *drawn = sampler->sample(static_cast<std::uint64_t>(step), draws, workers);
    return *drawn;
  };
}

}  // namespace rarefact
