#pragma once

/// The metrics catalogue: every variable a result file can hold for a step. A row carries the function that
/// computes it.

#include <limits>
#include <vector>

#include "core/catalogue.hpp"
#include "metrics/class_metric.hpp"
#include "metrics/spectral.hpp"

namespace rarefact {

enum class MetricKind {
  trajectory,  ///< of the classes of a state: loss, error ...
  spectral,    ///< of singular values; stored as update_<name> and weight_<name>
  task,        ///< of update and weight in the task basis; measured with the spectral ones
  step,        ///< of the update, for every class; measured where run.push is true
  retrieval,   ///< ϱ of the weight's direction; measured where run.rho_epsilon > 0
};

/// What a step shows in the task basis.
struct TaskMeasures {
  double update_identity_deviation, weight_identity_deviation, update_orthogonality_residual,
      update_null_space_leakage;
};

/// ϱ both ways.
struct RhoMeasures {
  double infimum, at_threshold, deficit, scale;
};

struct MetricRow : CatalogueRow {
  std::string long_name;
  std::string units = "1";
  MetricKind kind = MetricKind::trajectory;
  bool per_class = false;
  bool predicted = false;  ///< theory fills <name>_predicted
  bool certified = false;  ///< doubling the nodes of a quadrature must not change it

  /// How it is computed, by kind.
  ClassMeasure classes = {};
  double (*singular_values)(const Levels&) = nullptr;
  double of_zero_matrix = std::numeric_limits<double>::quiet_NaN();  ///< where there is no singular value
  double TaskMeasures::*task = nullptr;
  double RhoMeasures::*rho = nullptr;
};

const std::vector<MetricRow>& metric_catalogue();

/// The rows of a kind, in the order of the catalogue.
MetricRows metrics_of(MetricKind kind);
/// Those of kind trajectory, and those among them that theory predicts.
const MetricRows& class_metrics();
const MetricRows& predicted_metrics();

/// Rows of the catalogue, by file.
std::vector<MetricRow> class_metric_rows();
std::vector<MetricRow> spectral_rows();

}  // namespace rarefact
