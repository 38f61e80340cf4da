// What is measured at recorded steps, of every probe at once: on nodes what all classes have. That engines measure the same
// is in laws/every_engine.cpp.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "laws/experiments.hpp"
#include "metrics/probe.hpp"

using namespace laws;

namespace {

Experiment measured(const ChosenRow& spectrum, const std::string& rule, double step_size,
                    ParameterValues given = {}) {
  Experiment e = identity_run(spectrum, rule);
  e.steps = 3;
  e.spectral_metrics = "on";
  e.push = e.curvature = true;
  e.rho_epsilon = 0.1;
  e.optimizers = {{rule, rule, step_size, with_defaults(optimizer_row(rule).parameters, std::move(given))}};
  return e;
}

/// Polar factors of the population are of all entries.
Result measured_on(Experiment e, const std::string& engine) {
  e.engine = engine;
  e.alignment = engine == "symmetric";
  return simulate(e, {}, 1);
}

}  // namespace

TEST_CASE("a quadrature measures and certifies what all classes have, the first and the last included") {
  const ChosenRow law = power_law(300.0, 1.2);
  Experiment newton_schulz = measured(law, "muon", 0.5, {{"polar", "newton_schulz"}}),
             smooth = measured(law, "muon", 0.5, {{"smoothing", 1e-3}});
  newton_schulz.curvature = smooth.curvature = false;
  newton_schulz.rho_epsilon = smooth.rho_epsilon = 0;
  for (Experiment e : {measured(law, "gd", 20), measured(law, "ngd", 0.7), measured(law, "muon", 0.5),
                       newton_schulz, smooth}) {
    e.spectral_metrics = "off";
    const Result exact = measured_on(e, "symmetric"), nodes = measured_on(e, "quadrature");
    CAPTURE(e.optimizers[0].rule, only_trajectory(nodes).quadrature_error);
    CHECK(only_trajectory(nodes).quadrature_error < 1e-10);
    CHECK(only_trajectory(nodes).quadrature_nodes < 300);
    CHECK(largest_difference(exact, nodes) < 1e-10);
  }
}

TEST_CASE("the certificate of a quadrature covers its probes, too") {
  Experiment e = measured(power_law(2000.0, 1.5), "muon", 1e-6);
  e.spectral_metrics = "off";
  e.nodes = 16;
  const Result few = measured_on(e, "quadrature");
  e.nodes = 64;
  const Result many = measured_on(e, "quadrature");
  const std::vector<double>&coarse = only_trajectory(few).series.at("push"),
        &fine = only_trajectory(many).series.at("push");
  REQUIRE(coarse.size() == fine.size());
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < fine.size(); ++i) {
    if (std::isnan(fine[i])) continue;
    difference = std::max(difference, std::abs(coarse[i] - fine[i]));
    largest = std::max(largest, std::abs(fine[i]));
  }
  difference /= largest;
  CHECK(difference > 1e-9);
  CHECK(only_trajectory(few).quadrature_error > difference);
}

TEST_CASE("singular values are measured by default unless they would take longer than the run") {
  Experiment e = identity_run(
      {"grouped_power_law", {{"groups", 100.0}, {"group_size", 5.0}, {"exponent", 1.5}}}, "adam");
  e.optimizers[0].parameters.set("epsilon", 0.0);
  e.engine = "columns";
  e.steps = 20;
  e.digits = "off";
  const auto measured = [&e] { return only_trajectory(simulate(e, {}, 1)); };
  e.spectral_metrics = "auto";
  CHECK(measured().series.contains("update_rank"));
  CHECK(measured().status_detail.empty());
  e.spectral_metrics = "cheap";
  CHECK(!measured().series.contains("update_rank"));
  e.spectral_metrics = "auto";
  e.steps = 2000;
  CHECK(!measured().series.contains("update_rank"));
  CHECK_THAT(measured().status_detail, Catch::Contains("singular values were not measured"));
  e.record = {.kind = RecordRule::Kind::list, .steps = {1000}};
  CHECK(measured().series.contains("update_rank"));
}

TEST_CASE(
    "what is switched off is not measured, and neither measures nor digits change a bit of other numbers") {
  Experiment e = measured(spectra()[0], "muon", 0.4);
  e.digits = "on";
  e.alignment = true;
  const Result with = simulate(e, {}, 1);
  e.push = e.curvature = e.alignment = false;
  e.rho_epsilon = 0;
  e.spectral_metrics = e.digits = "off";
  const Result without = simulate(e, {}, 1);
  for (const Probe& probe : probes())
    for (const MetricRow& row : probe.rows) CHECK(!only_trajectory(without).series.contains(row.name));
  for (const auto& [name, values] : only_trajectory(without).series) {
    CAPTURE(name);
    const auto& same = series(with, name);
    REQUIRE(same.size() == values.size());
    CHECK(std::memcmp(same.data(), values.data(), 8 * values.size()) == 0);
  }
}
