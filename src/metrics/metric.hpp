#pragma once

/// The metrics catalogue: every variable a result file can hold for a step. A row carries the function that
/// computes it.

#include <variant>
#include <vector>

#include "metrics/class_metric.hpp"
#include "metrics/spectral.hpp"
#include "rarefact/catalogue.hpp"

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

/// How the push of every class is measured: the update's logits tell.
struct PushMeasure {};

/// The function of each kind of metric, in the order of MetricKind.
using Measure =
    std::variant<ClassMeasure, SpectralMeasure, double TaskMeasures::*, PushMeasure, double RhoMeasures::*>;

struct MetricTraits {
  bool predicted = false;  ///< theory fills <name>_predicted
  bool certified = false;  ///< doubling the nodes of a quadrature must not change it
};

struct MetricRow : CatalogueRow, MetricTraits {
  std::string long_name;
  std::string units;
  Measure measure;
  MetricKind kind;
  bool per_class;

  MetricRow(CatalogueRow description, std::string long_name, std::string units, const Measure& measure,
            MetricTraits traits = {});

  const ClassMeasure& classes() const { return std::get<ClassMeasure>(measure); }
  const SpectralMeasure& spectral() const { return std::get<SpectralMeasure>(measure); }
  double of(const TaskMeasures& seen) const { return seen.*std::get<double TaskMeasures::*>(measure); }
  double of(const RhoMeasures& seen) const { return seen.*std::get<double RhoMeasures::*>(measure); }
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
