#pragma once

/// The metrics catalogue: every variable a result file can hold for a step.

#include <vector>

#include "rarefact/core/catalogue.hpp"

namespace rarefact {

enum class MetricKind {
  trajectory,  ///< of the state: loss, error ...
  spectral,    ///< of singular values; stored as update_<name> and weight_<name>
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
