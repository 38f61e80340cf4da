#pragma once

/// Least squares where every mode is a scalar: g = h (w - a), w = 0 at the start (model/least_squares.hpp).

#include "theory/prediction.hpp"

namespace rarefact {

/// Of the classes of a group.
struct SquareModes {
  std::vector<double> curvature;    ///< h = μ² p + σ²
  std::vector<double> coefficient;  ///< a = μ p/h of facts, l^-β of Gaussian queries
};

SquareModes modes_of(const PredictionInput& input);

/// τ of every t (ascending), where the flow of normalised gradients has come as far as that of gradients:
/// dτ/dt = 1/(Σ n h² a² e^(-2hτ))^½, by quadrature; infinite once the minimum is reached.
std::vector<double> times_of_normalised_flow(const SquareModes& modes, const std::vector<double>& count,
                                             const std::vector<double>& times);

/// g of smoothed sign flow, dg/dt = -h g/√(g² + λ²), from g(0) = `start` > 0 after the time t.
double smoothed_residual(double curvature, double start, double smoothing, double time);

}  // namespace rarefact
