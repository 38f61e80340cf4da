#pragma once

/// Predictions beside the measured series: margins from the theory catalogue turned into the variables of a
/// result.

#include "rarefact/result.hpp"
#include "sim/class_rows.hpp"
#include "theory/prediction.hpp"

namespace rarefact {

/// The classes predictions are made for: groups whose totals are taken, and for every row of the result the
/// groups that it shows the mean of. Groups without classes count in no total.
struct PredictedClasses {
  std::vector<double> count, probability;      ///< per group
  std::vector<PredictedAnswers> answers = {};  ///< per node of a law of answers; else empty
  std::size_t width = 1;                       ///< groups a row
  std::vector<std::size_t> row_groups;         ///< width a row, row by row
};

/// The groups of an exact run.
PredictedClasses predicted_groups(const ClassGroups& groups, const ClassRows& rows);

/// The nodes of a quadrature of the spectrum's law, `panel_order` a panel, and after them the classes of the rows,
/// without weight. Of fan-ins a node is the queries of its answers.
PredictedClasses predicted_nodes(const Spectrum& spectrum, const ClassRows& rows, int panel_order);

/// Whether EᵀE = ẼᵀẼ = I.
bool orthonormal_embeddings(const Experiment& experiment, const Spectrum& spectrum);

/// What predictions may know of a run, except for how many classes there are of each kind and how likely they are.
PredictionInput prediction_input(const Experiment& experiment, const OptimizerChoice& choice,
                                 double step_size, const Spectrum& spectrum);

/// The predictions that apply to it.
std::vector<const PredictionRow*> applicable_predictions(const PredictionInput& input);

/// Adds <name>_predicted and <name>_predicted_<variant> series to `trajectory` for every prediction that
/// applies, and returns the rows that did. The input's classes are those of `classes`. Computed in Real,
/// double or Real50, and rounded at the end.
template <class Real>
std::vector<const PredictionRow*> predict(const PredictionInput& input, const PredictedClasses& classes,
                                          const std::vector<std::int64_t>& steps, Trajectory& trajectory);

/// Of the variables of a prediction.
std::string prediction_suffix(const PredictionRow& row);

/// The variables of a result, in catalogue order: measured, then predicted ones with the theorems they come
/// from. predictions: for every trajectory the rows that apply to it.
std::vector<Variable> variables_of(const std::vector<Trajectory>& trajectories,
                                   const std::vector<std::vector<const PredictionRow*>>& predictions);

}  // namespace rarefact
