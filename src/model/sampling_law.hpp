#pragma once

#include <cmath>

namespace rarefact {

/// How training draws queries: with q_l = p_l^τ/Σ_j p_j^τ, a function of the probabilities p_l by which a run is measured.
/// Gradients, samples, the second moment and the Hessian are of q; loss, error, gap, curvature along an update
/// and noise answers are of p. τ = 1: q = p, exactly.
struct SamplingLaw {
  double exponent = 1;   ///< τ
  double log_total = 0;  ///< ln Σ_j p_j^τ

  double operator()(double p) const {
    return exponent == 1 ? p : std::exp(exponent * std::log(p) - log_total);
  }
};

}  // namespace rarefact
