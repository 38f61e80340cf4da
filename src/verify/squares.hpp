#pragma once

/// What checks read of runs on least squares, W = 0 at the start.

#include "theory/modes.hpp"
#include "verify/check.hpp"

namespace rarefact::checks {

inline const std::string squares_have_no_digits = "least squares run in doubles alone";

/// h and a of every class row.
inline SquareModes modes_of(const EvidencePoint& point) {
  PredictionInput input;
  input.class_probability = point.run().class_probability;
  input.squares = point.experiment.squares;
  return rarefact::modes_of(input);
}

/// Of facts, or of Gaussian queries.
inline HypothesisRow least_squares(bool gaussian) {
  return hypothesis::every(
      gaussian ? "least squares with Gaussian queries" : "least squares of facts",
      [gaussian](const EvidencePoint& point) {
        return point.experiment.least_squares() && point.experiment.squares.gaussian() == gaussian;
      },
      "all runs", "a run has another loss");
}

}  // namespace rarefact::checks
