#pragma once

/// The rows of a result before anything has run, and what is known of them.

#include "rarefact/result.hpp"
#include "sim/class_rows.hpp"

namespace rarefact {

/// Rows as they will be unless a quadrature fails; `exact`: some optimizer's engine is. In a result of quadratures alone
/// they are the panel nodes, whatever rule an optimizer runs on: real classes in the head, where compressed nodes sit on
/// classes and nothing between them could be interpolated. `width`: over blocks of so many classes.
ClassRows planned_rows(const Experiment& experiment, const Spectrum& spectrum, bool exact, Index width);

/// Of a spectrum with too many classes to write out, the octaves of ranks.
ClassRows rows_of_groups(const Spectrum& spectrum);

/// A number of each query type, for each row. The spectrum is written out.
std::vector<double> of_rows(const std::vector<double>& types, const ClassRows& rows,
                            const Spectrum& spectrum);

/// The least losses that any W reaches under the softmax, in nats: of a law of answers, the entropies of its query types.
std::vector<double> least_losses(const Experiment& experiment, const Spectrum& spectrum);

/// L*, rounded from the digits of the computation. `entropies`: those of least_losses.
double least_loss(const Experiment& experiment, const Spectrum& spectrum,
                  const std::vector<double>& entropies);

/// The answers of a law that is written out, as the rows show them.
AnswerGroups answers_of(const Spectrum& spectrum, const ClassRows& rows, double least_loss);

}  // namespace rarefact
