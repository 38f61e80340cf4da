#pragma once

/// Hypotheses of statements and of measurements: words, and the test of them on the runs.

#include <fmt/format.h>

#include <set>

#include "verify/check_row.hpp"

namespace rarefact::hypothesis {

using Outcome = HypothesisRow::Outcome;

/// What no run can show, or the judge finds out as it measures.
HypothesisRow assumed(std::string words);
/// The same of one experiment of the check alone.
HypothesisRow on(std::size_t experiment, HypothesisRow row);
/// The same, without which there is nothing to measure.
HypothesisRow needed(HypothesisRow row);
/// Met where every point is as `is` says; the details of either case.
HypothesisRow every(std::string words, std::function<bool(const EvidencePoint&)> is, std::string met,
                    std::string unmet);
/// Decided by the least and the greatest of a number over the points, which are {0} and {1} in `detail`.
HypothesisRow ranged(std::string words, Number number, std::string detail,
                     bool (*met)(double least, double greatest));
/// Met where every point is as `is` says; the different values that `seen` lists of them are {} in `detail`.
template <class Seen>
HypothesisRow listed(std::string words, std::function<bool(const EvidencePoint&)> is, Seen seen,
                     std::string detail = "{}") {
  return {std::move(words), [=](const PointList& points) {
            bool met = true;
            std::set<typename decltype(seen(*points.front()))::value_type> all;
            for (const EvidencePoint* point : points) {
              met = met && is(*point);
              for (const auto& one : seen(*point)) all.insert(one);
            }
            return Outcome{met, fmt::format(fmt::runtime(detail), fmt::join(all, ", "))};
          }};
}
/// Both embeddings of every point have a property.
HypothesisRow of_embeddings(std::string words, bool (*property)(const Component&));

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

/// No two queries share an answer: Muon's speed falls with an answer's queries (docs/variants.md). Without it there
/// is nothing to measure, as classes are taken for answers.
HypothesisRow equal_fan_in();

/// No schedule changes a step size.
HypothesisRow constant_step_sizes();
/// Momentum 0: every step is made of its own gradient.
HypothesisRow no_momentum();
/// Under every label runs the rule of the statement's experiment, whose text is that of the row.
Hypothesis own_rules(const CheckRow& row, const Evidence& evidence);
/// The loss is that of facts, or of Gaussian queries.
HypothesisRow least_squares(bool gaussian);
/// At least four seeds.
HypothesisRow four_seeds();
/// Steps too small to change the gradient.
HypothesisRow frozen();
/// Gradients are those of samples drawn anew at each step.
HypothesisRow samples();
/// Every trajectory reached its last step with finite numbers.
HypothesisRow complete();
HypothesisRow recorded_at_every_step();

}  // namespace rarefact::hypothesis
