#pragma once

/// What a run on nodes says of its error, from one on half as many.

#include "sim/quadrature_run.hpp"

namespace rarefact {

/// The error of `fine`, estimated by what doubling the nodes changed: of the numbers named at CertifiedRun::error. Infinite where nothing
/// is certified.
double certificate(const NodeRun& fine, const NodeRun& coarse, double least_loss);

}  // namespace rarefact
