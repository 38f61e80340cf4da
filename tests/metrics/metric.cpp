#include "metrics/metric.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "metrics/probe.hpp"

using namespace rarefact;

namespace {

/// The probe of a variable.
const Probe& probe_of(const std::string& variable) {
  return *std::ranges::find_if(probes(), [&](const Probe& probe) { return find_row(probe.rows, variable); });
}

}  // namespace

// Which variables there are, and in which order, is in docs/result-file.md, which is compared with what the program lists.
TEST_CASE("variables of a result have names of their own, and are explained") {
  std::set<std::string> names;
  for (const MetricRow& row : metric_catalogue()) {
    CAPTURE(row.name);
    CHECK(names.insert(row.name).second);
    CHECK_FALSE(row.summary.empty());
    CHECK_FALSE(row.formula.empty());
    CHECK_FALSE(row.long_name.empty());
    CHECK(row.of_matrices == (find_row(probe_of("spectral_norm").rows, row.name) != nullptr));
  }
}

namespace {

/// A moment whose every number is another one.
struct Numbered final : Moment {
  RhoMeasures rho(double epsilon) override { return {epsilon, 1, 2, 3}; }
  RobustMeasures robust(double noise, std::int64_t draws) override {
    return {{noise}, {static_cast<double>(draws)}, 18, 19};
  }
  double balance() override { return 20; }
  double root_balance() override { return 21; }
  SingularValues weight_values() override { return {{4}, {1}}; }
  SingularValues update_values() override { return {{5}, {1}}; }
  double update_size() override { return 5; }
  double update_leakage() override { return 6; }
  double weight_deviation() override { return 7; }
  double update_deviation() override { return 8; }
  std::vector<double> push() override { return {9, 10}; }
  double alignment() override { return 11; }
  CurvatureMeasures curvature() override { return {12, 13, 14, 15, 16}; }
  double twin_gain() override { return 17; }
};

struct Found final : Measurements {
  std::map<std::string, std::vector<double>> values;
  void number(const std::string& variable, double value) override { values[variable] = {value}; }
  void cells(const std::string& variable, const std::vector<double>& per_cell) override {
    values[variable] = per_cell;
  }
};

}  // namespace

TEST_CASE("probes write their rows, those of a state or of the update that follows, where they are wanted") {
  Experiment e;
  e.spectral_metrics = "off";
  CHECK(wanted_probes({e}).chosen.empty());
  e.spectral_metrics = "auto";
  CHECK(wanted_probes({e, 128}).needs.singular_values);
  CHECK_FALSE(wanted_probes({e, 129}).needs.singular_values);
  e.rho_epsilon = 0.25;
  e.test_noise = 0.5;
  e.test_draws = 20;
  e.push = e.alignment = e.curvature = true;
  // One matrix has no balance of factors, and products have no residual and leakage of one.
  const Probes of_matrix = wanted_probes({e, 2, true});
  CHECK(of_matrix.chosen.size() + 2 == probes().size());
  e.factors = 2;
  const Probes all = wanted_probes({e, 2, true});
  CHECK(all.chosen.size() + 1 == probes().size());
  CHECK(all.needs.row_values == 2);
  CHECK(wanted_probes({.experiment = e, .matrix_rows = 2, .updates = false}).chosen ==
        std::vector{&probe_of("root_balance"), &probe_of("balance"), &probe_of("rho"),
                    &probe_of("robust_top1")});
  const Probes again = wanted_probes({.experiment = e, .matrix_rows = 2, .repetition = true});
  CHECK(again.chosen == std::vector{&probe_of("root_balance"), &probe_of("push"), &probe_of("alignment"),
                                    &probe_of("balance"), &probe_of("nds")});
  Numbered moment;
  Found before, after;
  all.observe(false, moment, before);
  all.observe(true, moment, after);
  CHECK(before.values.size() == 2 + probe_of("rho").rows.size() + probe_of("robust_top1").rows.size());
  CHECK(before.values.at("balance") == std::vector{20.0});
  CHECK(before.values.at("root_balance") == std::vector{21.0});
  CHECK(before.values.at("robust_top1") == std::vector{0.5});
  CHECK(before.values.at("robust_top1_deviation") == std::vector{20.0});
  CHECK(before.values.at("rho") == std::vector{0.25});
  CHECK(after.values.at("update_spectral_norm") == std::vector{5.0});
  CHECK(after.values.at("weight_spectral_norm") == std::vector{4.0});
  CHECK(after.values.at("push") == std::vector{9.0, 10.0});
  CHECK(after.values.at("nds_effective") == std::vector{16.0});
  std::size_t variables = 0;
  for (const Probe* probe : all.chosen) {
    for (const MetricRow& row : probe->rows) variables += row.of_matrices ? 2 : 1;
  }
  CHECK(before.values.size() + after.values.size() == variables);
}
