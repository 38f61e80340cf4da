#include "metrics/metric.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

using namespace rarefact;

namespace {

using Names = std::vector<std::string>;

/// Whether the names appear in this order; others may stand between them.
bool in_order(const Names& names, const Names& all) {
  auto at = all.begin();
  for (const std::string& name : names) {
    at = std::find(at, all.end(), name);
    if (at == all.end()) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("the metrics catalogue holds the variables of the result file in order") {
  std::map<MetricKind, std::vector<std::string>> kinds;
  std::vector<std::string> predicted, per_class, nats;
  std::set<std::string> names;
  for (const MetricRow& row : metric_catalogue()) {
    kinds[row.kind].push_back(row.name);
    if (row.predicted) predicted.push_back(row.name);
    if (row.per_class()) per_class.push_back(row.name);
    if (row.units == "nat") nats.push_back(row.name);
    names.insert(row.name);
    CHECK_FALSE(row.summary.empty());
    CHECK_FALSE(row.formula.empty());
    CHECK_FALSE(row.long_name.empty());
  }
  CHECK(in_order({"loss", "excess_loss", "gap", "error", "class_loss", "recovered_count", "recovered_weight",
                  "soft_recovery", "loss_drop"},
                 kinds[MetricKind::trajectory]));
  CHECK(in_order({"effective_rank", "entropy", "top_energy_fraction", "quartile_ratio", "stable_rank",
                  "condition_ratio", "condition_ratio_rest", "rank", "frobenius_norm", "spectral_norm"},
                 kinds[MetricKind::spectral]));
  CHECK(in_order({"update_identity_deviation", "weight_identity_deviation", "update_orthogonality_residual",
                  "update_null_space_leakage"},
                 kinds[MetricKind::task]));
  CHECK(kinds[MetricKind::step] == Names{"push"});
  CHECK(kinds[MetricKind::curvature] ==
        Names{"first_order_gain", "curvature_penalty", "taylor_remainder", "nds", "nds_effective"});
  const CurvatureMeasures along{1, 2, 3, 4, 5};
  std::vector<double> measured;
  for (const MetricRow* row : metrics_of(MetricKind::curvature)) measured.push_back(row->of(along));
  CHECK(measured == std::vector<double>{1, 2, 3, 4, 5});
  CHECK(kinds[MetricKind::alignment] == Names{"alignment"});
  CHECK(kinds[MetricKind::retrieval] == Names{"rho", "rho_at_threshold", "rho_deficit", "rho_scale"});
  CHECK(kinds[MetricKind::answers] == Names{"top1_error", "twin_gain", "answer_error", "answer_loss"});
  const LawMeasures seen{.top1_error = 1, .twin_gain = 2, .answer_error = {3, 4}, .answer_loss = {5, 6}};
  std::vector<std::vector<double>> numbers;
  for (const MetricRow* row : metrics_of(MetricKind::answers)) {
    numbers.push_back(row->of(seen));
    CHECK(row->along == (numbers.back().size() > 1 ? Along::answer_groups : Along::nothing));
  }
  CHECK(numbers == std::vector<std::vector<double>>{{1}, {2}, {3, 4}, {5, 6}});
  CHECK(in_order({"loss", "excess_loss", "gap", "error", "class_loss"}, predicted));
  CHECK(in_order({"error", "class_loss", "push"}, per_class));
  CHECK(in_order({"loss", "excess_loss", "class_loss"}, nats));
  CHECK(names.size() == metric_catalogue().size());
}
