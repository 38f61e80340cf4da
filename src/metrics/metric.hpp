#pragma once

/// The metrics catalogue: every variable a result file can hold for a step.

#include <vector>

#include "core/catalogue.hpp"

namespace rarefact {

enum class MetricKind {
  trajectory,  ///< of the state: loss, error ...
  spectral,    ///< of singular values; stored as update_<name> and weight_<name>
  task,        ///< of update and weight in the task basis; measured with the spectral ones
  step,        ///< of the update, for every class; measured where run.push is true
  retrieval,   ///< ϱ of the weight's direction; measured where run.rho_epsilon > 0
};

struct MetricRow : CatalogueRow {
  std::string long_name;
  std::string units = "1";
  bool per_class = false;
  bool predicted = false;  ///< theory fills <name>_predicted
  MetricKind kind = MetricKind::trajectory;
};

const std::vector<MetricRow>& metric_catalogue();

}  // namespace rarefact
