#pragma once

/// Spectral measures of the weight matrix and of the update (algebra/spectral_measures).

#include "algebra/spectral_measures.hpp"  // IWYU pragma: export
#include "metrics/probe.hpp"

namespace rarefact {

/// True if a training measures singular values (run.spectral_metrics).
bool measures_spectrum(const ProbeCase& query);

}  // namespace rarefact
