#pragma once

/// A prediction is data beside data: closed forms for the margin of every class at every step. The code of a
/// prediction never calls an optimizer; a prediction that could is no oracle.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rarefact/core/catalogue.hpp"

namespace rarefact {

/// What a prediction may know of a run.
struct Situation {
  std::vector<double> class_count;        ///< classes per group, may be huge or non-integer
  std::vector<double> class_probability;  ///< of one class of the group
  double class_total = 0;                 ///< K = sum of class_count
  double label_noise = 0;                 ///< α
  bool population = true;                 ///< exact expectation, not samples
  bool orthonormal = false;               ///< EᵀE = ẼᵀẼ = I
  bool identity = false;                  ///< E = Ẽ = I
  std::string rule;                       ///< row of the optimizer catalogue
  ParameterValues parameters;             ///< of the rule, resolved
  double step_size = 0;                   ///< η
};

/// Margins m (right logit minus wrong logit): steps x class groups, row by row. NaN where nothing is
/// predicted.
using Margins = std::vector<double>;

/// A row of the predictions catalogue. `name` is the id, e.g. "gd-recursion"; `formula` and `source` as for
/// every row.
struct PredictionRow : CatalogueRow {
  /// "" for the prediction stored as <variable>_predicted; "flow" for <variable>_predicted_flow.
  std::string variant;
  std::string validity;  ///< the hypotheses and the error of the prediction, in words
  /// Why the prediction does not apply to the situation; nothing when it does.
  std::optional<std::string> (*objection)(const Situation&) = nullptr;
  /// Precondition: no objection; steps ascending and >= 0, and the run starts from W = 0.
  Margins (*margins)(const Situation&, std::span<const std::int64_t> steps) = nullptr;
};

/// Every prediction of trajectories, in the order of docs. At most one row of each variant applies to a
/// situation.
const std::vector<PredictionRow>& prediction_catalogue();

}  // namespace rarefact
