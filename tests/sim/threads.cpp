// Equal bytes for any number of threads, on every engine.

#include <catch2/catch.hpp>
#include <cstring>

#include "laws/experiments.hpp"

using namespace laws;

namespace {

/// A run of several rules.
Experiment of(const ChosenRow& spectrum, const ChosenRow& side, double noise,
              const std::vector<std::pair<const char*, double>>& rules, std::int64_t steps) {
  Experiment e = experiment(spectrum, side, side, noise, optimizer_row("gd"));
  e.optimizers.clear();
  for (const auto& [rule, step_size] : rules)
    e.optimizers.push_back({rule, rule, step_size, with_defaults(optimizer_row(rule).parameters, {})});
  e.steps = steps;
  return e;
}

Experiment sampled(Experiment e, const std::string& mode) {
  e.data_mode = mode;
  e.data_parameters = {{mode == "minibatch" ? "batch" : "size", 20000.0}};
  return e;
}

void check_threads(const Experiment& e, const std::string& engine) {
  const Result one = simulate(e, {}, 1);
  CHECK(only_trajectory(one).engine == engine);
  const Result other = simulate(e, {}, 5);
  for (std::size_t o = 0; o < e.optimizers.size(); ++o) {
    for (const auto& [name, values] : one.runs[0].trajectories[o].series) {
      const auto& same = other.runs[0].trajectories[o].series.at(name);
      CAPTURE(e.optimizers[o].name, name);
      REQUIRE(values.size() == same.size());
      CHECK(std::memcmp(values.data(), same.data(), values.size() * sizeof(double)) == 0);
    }
  }
}

}  // namespace

TEST_CASE("results are the same bytes for one thread and for five") {
  const ChosenRow identity = embedding("identity");
  Experiment e =
      of(power_law(150, 1.1), identity, 0.1, {{"muon", 0.4}, {"gd", 0.3}, {"adam", 0.3}, {"ngd", 0.3}}, 12);
  e.spectral_metrics = e.digits = "on";
  check_threads(e, "symmetric");
  e.engine = "dense";
  check_threads(e, "dense");
  for (const char* mode : {"minibatch", "dataset"}) {
    check_threads(sampled(of(power_law(9000, 0.5), identity, 0, {{"gd", 500}, {"adam", 0.1}}, 3), mode),
                  "columns");
    Experiment few = sampled(of(power_law(70, 0.5), identity, 0.2, {{"muon", 0.3}}, 3), mode);
    check_threads(few, "symmetric");
    few.engine = "dense";
    check_threads(few, "dense");
  }
  e = of(power_law(1e12, 1.2), identity, 0.1, {{"muon", 0.37}, {"gd", 10}}, 30);
  e.classes = {};
  check_threads(e, "quadrature");
  std::vector<std::pair<const char*, double>> rules;
  for (const OptimizerRow& row : complete_rules()) rules.emplace_back(row.name.c_str(), 0.2);
  for (const ChosenRow& kind :
       {embedding("orthogonal"), embedding("equicorrelated", {{"rho", 0.3}}),
        embedding("toeplitz", {{"rho", 0.5}}), embedding("noisy", {{"sigma", 0.4}}),
        embedding("gaussian", {{"dimension", 40.0}}), embedding("gaussian", {{"dimension", 90.0}})}) {
    e = of(power_law(70, 1.3), kind, 0.1, rules, 5);
    e.engine = "dense";
    CAPTURE(kind.kind);
    check_threads(e, "dense");
  }
}
