#pragma once

/// Closed forms of least squares where every mode is a scalar with gradient g = h (w - a) (model/loss.hpp).

#include "theory/prediction.hpp"

namespace rarefact {

/// Curvatures and minima of the class groups.
struct SquareModes {
  std::vector<double> curvature;    ///< h = μ² p + σ²
  std::vector<double> weight;       ///< of a squared coefficient in the loss: μ² p + σ², p of measures
  std::vector<double> coefficient;  ///< a = μ p/h for facts, c (l+q)^-β for Gaussian queries
  std::vector<double> apart;        ///< minimum of the measured loss minus a
};

/// The target is aligned, and modes are not stored together unless they are alike.
Objection require_modes(const PredictionInput& input);

SquareModes modes_of(const PredictionInput& input);

/// f(h, a, n) of every mode at every step n.
template <class F>
Margins at_modes(const PredictionInput& input, std::span<const std::int64_t> steps, const F& f) {
  const SquareModes modes = modes_of(input);
  Margins table;
  for (const std::int64_t step : steps)
    for (std::size_t g = 0; g < modes.curvature.size(); ++g)
      table.push_back(f(modes.curvature[g], modes.coefficient[g], static_cast<double>(step)));
  return table;
}

/// For every t (ascending) the time τ at which gradient flow reaches the state of normalised gradient flow at
/// t: dτ/dt = 1/(Σ n h² a² e^(-2hτ))^½, by quadrature; infinite once the minimum is reached.
std::vector<double> times_of_normalised_flow(const SquareModes& modes, const std::vector<double>& count,
                                             const std::vector<double>& times);

/// The solution of smoothed sign flow, dg/dt = -h g/√(g² + λ²), g(0) = `start` > 0, with h = `curvature` and λ =
/// `smoothing` >= 0: g(0) - g(t) as `value`, and g(t), which is left.
PredictedMargin<double> smoothed_residual(double curvature, double start, double smoothing, double time);

}  // namespace rarefact
