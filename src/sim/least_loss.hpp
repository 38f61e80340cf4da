#pragma once

/// The least loss that any W reaches under the softmax, in nats.

#include <vector>

#include "experiment/experiment.hpp"
#include "model/spectrum.hpp"

namespace rarefact {

/// Of a law of answers, the entropies of its query types.
std::vector<double> least_losses(const Experiment& experiment, const Spectrum& spectrum);

/// L*, rounded from the digits of the computation. `entropies`: those of least_losses.
double least_loss(const Experiment& experiment, const Spectrum& spectrum,
                  const std::vector<double>& entropies);

}  // namespace rarefact
