#include "metrics/metric.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <set>

using namespace rarefact;

TEST_CASE("the metrics catalogue holds the variables of the result file in order") {
  std::map<MetricKind, std::vector<std::string>> kinds;
  std::vector<std::string> predicted, per_class, nats;
  std::set<std::string> names;
  for (const MetricRow& row : metric_catalogue()) {
    kinds[row.kind].push_back(row.name);
    if (row.predicted) predicted.push_back(row.name);
    if (row.per_class) per_class.push_back(row.name);
    if (row.units == "nat") nats.push_back(row.name);
    names.insert(row.name);
    CHECK_FALSE(row.summary.empty());
    CHECK_FALSE(row.formula.empty());
    CHECK_FALSE(row.long_name.empty());
  }
  using Names = std::vector<std::string>;
  CHECK(kinds[MetricKind::trajectory] == Names{"loss", "excess_loss", "gap", "error", "class_loss",
                                               "recovered_count", "recovered_weight", "soft_recovery",
                                               "loss_drop"});
  CHECK(kinds[MetricKind::spectral] ==
        Names{"effective_rank", "entropy", "top_energy_fraction", "quartile_ratio", "stable_rank",
              "condition_ratio", "condition_ratio_rest", "rank", "frobenius_norm", "spectral_norm"});
  CHECK(kinds[MetricKind::task] == Names{"update_identity_deviation", "weight_identity_deviation",
                                         "update_orthogonality_residual", "update_null_space_leakage"});
  CHECK(kinds[MetricKind::step] == Names{"push"});
  CHECK(kinds[MetricKind::retrieval] == Names{"rho", "rho_at_threshold", "rho_deficit", "rho_scale"});
  CHECK(predicted == Names{"loss", "excess_loss", "gap", "error", "class_loss"});
  CHECK(per_class == Names{"error", "class_loss", "push"});
  CHECK(nats == Names{"loss", "excess_loss", "class_loss"});
  CHECK(names.size() == metric_catalogue().size());
}
