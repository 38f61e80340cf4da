#pragma once

/// Hypotheses of statements and of measurements: words, and the test of them on the runs.

#include <functional>
#include <optional>
#include <string>

#include "verify/evidence.hpp"
#include "verify/finding.hpp"

namespace rarefact {

struct HypothesisRow {
  struct Outcome {
    bool met = false;
    std::string detail;  ///< what was found
  };
  std::string words;
  /// On the points of the check. None where no run can show it, or where the judge finds out as it measures.
  std::function<Outcome(const PointList&)> test = {};
  bool needed = false;  ///< where it is not met there is nothing to measure, and no judge is asked
  std::optional<std::size_t> experiment = {};  ///< of the points of this one alone

  Hypothesis tested(const Evidence& evidence) const;
};

}  // namespace rarefact

namespace rarefact::hypothesis {

using Outcome = HypothesisRow::Outcome;

/// The same of one experiment of the check alone.
HypothesisRow on(std::size_t experiment, HypothesisRow row);
/// The same, without which there is nothing to measure.
HypothesisRow needed(HypothesisRow row);
/// Met where every point is as `is` says; the details of either case.
HypothesisRow every(std::string words, std::function<bool(const EvidencePoint&)> is, std::string met,
                    std::string unmet);

/// Decided by the least and the greatest of a number over the points.
HypothesisRow ranged(std::string words, std::function<double(const EvidencePoint&)> number,
                     std::function<Outcome(double least, double greatest)> outcome);

/// EᵀE = ẼᵀẼ = I, in this form or by a parameter that is 0.
HypothesisRow orthonormal();
/// E = Ẽ = I.
HypothesisRow identity();
/// E = I ⊗ R and Ẽ = I ⊗ R̃ with the blocks of wang2025, which rotated blocks have by default.
HypothesisRow rotated_blocks();

/// The exact expectation, with any α; α = 0; α > 0.
HypothesisRow population();
HypothesisRow population_without_noise();
HypothesisRow label_noise();

/// Every fact adds to the gradient; or, thresholded, those that are recovered add nothing (data.recovered).
HypothesisRow gradient(bool thresholded);

/// Two groups of classes, unequally likely.
HypothesisRow two_levels();
/// M >= 2 groups of C >= 2 classes, C the same for all groups of a run.
HypothesisRow equal_groups();

/// No schedule changes a step size.
HypothesisRow constant_step_sizes();
/// Every trajectory reached its last step with finite numbers.
HypothesisRow complete();
HypothesisRow recorded_at_every_step();

}  // namespace rarefact::hypothesis
