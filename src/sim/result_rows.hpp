#pragma once

/// The rows of a result, and what is known of them before anything has run: functions of the experiment without its
/// optimizers.

#include "sim/answer_groups.hpp"
#include "sim/class_rows.hpp"

namespace rarefact {

/// Of a smooth law with more groups than this, results show panel nodes.
inline constexpr std::size_t max_group_rows = 4096;

/// True if all groups may be shown: they are few, or no nodes can stand for them.
bool shows_groups(const Spectrum& spectrum);

/// The classes that run.classes asks for, or the groups; where those are too many the panel nodes, whatever rule an
/// optimizer runs on: real classes in the head, where compressed nodes sit on classes and nothing between them could be
/// interpolated; or, of samples of classes that are not written out, the octaves of ranks.
ClassRows rows_of(const Experiment& experiment, const Spectrum& spectrum);

/// The least losses under the softmax, in nats: for an answer law the entropies of its query types.
std::vector<double> min_losses(const Experiment& experiment, const Spectrum& spectrum);

/// L*, rounded to a double. `entropies`: the result of least_losses.
double least_loss(const Experiment& experiment, const Spectrum& spectrum,
                  const std::vector<double>& entropies);

/// The answers of a law: all of them, or where those are too many these of the rows.
AnswerGroups answers_of(const Spectrum& spectrum, const ClassRows& rows, double least_loss);

/// The places of these among all answers of a law that is written out; empty where all are shown.
std::vector<std::size_t> shown_answers(const Spectrum& spectrum, const ClassRows& rows);

/// L_l* of every row: zero for least squares, whose classes show their whole loss. Empty where it is L* of all.
std::vector<double> row_least_losses(const Experiment& experiment, const Spectrum& spectrum,
                                     const ClassRows& rows, const std::vector<double>& entropies);

}  // namespace rarefact
