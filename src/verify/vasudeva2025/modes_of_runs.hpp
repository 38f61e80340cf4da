#pragma once

/// What the checks of vasudeva2025 read of their runs: modes of least squares, W = 0 at the start.

#include "theory/modes.hpp"
#include "verify/check.hpp"

namespace rarefact::checks::vasudeva2025 {

inline const std::string no_digits = "least squares run in doubles alone";

/// μ²/σ².
inline double signal_to_noise(const EvidencePoint& point) {
  const LeastSquares& data = point.experiment.squares;
  return std::pow(data.query_scale / data.query_noise, 2);
}

/// h and a of every class row.
inline SquareModes modes_of(const EvidencePoint& point) {
  PredictionInput input;
  input.class_probability = point.run().class_probability;
  input.squares = point.experiment.squares;
  return rarefact::modes_of(input);
}

inline HypothesisRow least_squares() {
  return hypothesis::every(
      "least squares of facts",
      [](const EvidencePoint& point) {
        return point.experiment.least_squares() && !point.experiment.squares.gaussian();
      },
      "all runs", "a run has another loss");
}

}  // namespace rarefact::checks::vasudeva2025
