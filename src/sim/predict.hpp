#pragma once

/// Predictions beside the measured series: converts margins from the theory catalogue to variables.

#include "sim/class_rows.hpp"
#include "theory/prediction.hpp"

namespace rarefact {

/// The classes for which predictions are made: groups, over which totals are taken, and the rows of the
/// result. Groups with count 0 have no weight in totals.
struct PredictedClasses {
  ClassGroups groups;
  CellsToRows to_rows;
  std::vector<PredictedAnswers> answers = {};  ///< per node of an answer law; else empty
};

/// The groups of an exact run.
PredictedClasses predicted_groups(const ClassGroups& groups, const ClassRows& rows);
/// The same, each class a group of its own.
PredictedClasses predicted_classes(const ClassGroups& groups, const ClassRows& rows);

/// The nodes of a quadrature of the spectrum's law, with `panel_order` nodes per panel, followed by the
/// classes of the rows with weight 0. With fan-ins a node represents the queries of its answers.
PredictedClasses predicted_nodes(const Spectrum& spectrum, const ClassRows& rows, int panel_order);

/// True if EᵀE = ẼᵀẼ = I.
bool orthonormal_embeddings(const Experiment& experiment);

/// The input of predictions, without the counts and probabilities of classes.
PredictionInput prediction_input(const Experiment& experiment, const OptimizerChoice& choice,
                                 double step_size, const Spectrum& spectrum);

std::vector<const PredictionRow*> applicable_predictions(const PredictionInput& input);

/// Adds <name>_predicted and <name>_predicted_<variant> series to `trajectory` for every prediction that
/// applies, and returns the rows that did. The input's classes are those of `classes`. Computed in Real,
/// double or Real50, and rounded at the end.
template <class Real>
std::vector<const PredictionRow*> predict(const PredictionInput& input, const PredictedClasses& classes,
                                          const std::vector<std::int64_t>& steps, Trajectory& trajectory);

std::string prediction_suffix(const PredictionRow& row);

/// The variables of a result, in catalogue order: measured ones, then predicted ones with their theorems.
/// `predictions`: the rows that apply to each trajectory.
std::vector<Variable> variables_of(const std::vector<Trajectory>& trajectories,
                                   const std::vector<std::vector<const PredictionRow*>>& predictions);

}  // namespace rarefact
