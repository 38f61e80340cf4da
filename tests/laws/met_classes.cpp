// Runs on samples in the symmetric algebra, of the classes that the samples show and one group of all others, against
// dense ones of every class.

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"

using namespace laws;

namespace {

Experiment sampled(const OptimizerRow& rule, const ParameterValues& parameters, const std::string& mode,
                   double noise) {
  Experiment e = experiment({"power_law", {{"count", 60.0}, {"exponent", 1.2}}}, embedding("identity"),
                            embedding("identity"), noise, rule);
  e.optimizers.front().parameters = parameters;
  e.data_mode = mode;
  e.data_parameters = {{mode == "dataset" ? "size" : "batch", mode == "dataset" ? 20.0 : 4.0}};
  e.steps = 8;
  return e;
}

}  // namespace

TEST_CASE("the classes that samples show, and one group of all others, are a dense run of every class") {
  std::size_t compared = 0;
  for (const OptimizerRow& rule : complete_rules()) {
    std::vector<ParameterValues> all = variants(rule);
    if (rule.name == "muon") {
      all.push_back(with_defaults(rule.parameters, {{"momentum", 0.8}}));
      all.push_back(with_defaults(rule.parameters, {{"momentum", 0.8}, {"nesterov", true}}));
    }
    for (const ParameterValues& parameters : all) {
      for (const std::string mode : {"minibatch", "dataset"}) {
        for (const double noise : {0.0, 0.3}) {
          for (const bool correlated : {false, true}) {
            Experiment e = sampled(rule, parameters, mode, noise);
            if (correlated) e.query_embedding = embedding("equicorrelated", {{"rho", 0.3}});
            CAPTURE(rule.name, mode, noise, correlated);
            if (!takes(e, Engine::symmetric)) continue;
            e.engine = Engine::symmetric;
            const Result held = simulate(e, {}, 1);
            e.engine = Engine::dense;
            CHECK(distance(held, simulate(e, {}, 2)) < 1e-11);
            ++compared;
          }
        }
      }
    }
  }
  CHECK(compared > 100);
}

TEST_CASE("in 50 digits the classes that samples show are those of a dense run in doubles") {
  const auto parameters = [](const char* name, ParameterValues given) {
    return std::pair(name, with_defaults(optimizer_row(name).parameters, std::move(given)));
  };
  for (const auto& [name, values] : {parameters("adam", {}), parameters("muon", {{"momentum", 0.8}}),
                                     parameters("muon", {{"momentum", 0.8}, {"momentum_order", "after"}})}) {
    for (const std::string mode : {"minibatch", "dataset"}) {
      for (const double noise : {0.0, 0.3}) {
        Experiment e = sampled(optimizer_row(name), values, mode, noise);
        CAPTURE(name, mode, noise);
        e.engine = Engine::symmetric;
        e.precision = 50;
        const Result held = simulate(e, {}, 1);
        e.engine = Engine::dense;
        e.precision = 16;
        CHECK(distance(held, simulate(e, {}, 2)) < 1e-11);
      }
    }
  }
}

TEST_CASE("what is measured of the next update is of the sample after the last step, too") {
  for (const std::string mode : {"minibatch", "dataset"}) {
    Experiment e =
        sampled(optimizer_row("muon"), with_defaults(optimizer_row("muon").parameters, {}), mode, 0.3);
    e.push = true;
    e.spectral_metrics = "on";
    e.steps = 2;
    e.engine = Engine::symmetric;
    const Result held = simulate(e, {}, 1);
    e.engine = Engine::dense;
    const Result dense = simulate(e, {}, 1);
    for (const char* name : {"push", "update_rank", "update_frobenius_norm", "weight_frobenius_norm"}) {
      const auto &x = only_trajectory(held).series.at(name), &y = only_trajectory(dense).series.at(name);
      CAPTURE(mode, name);
      REQUIRE(x.size() == y.size());
      for (std::size_t i = 0; i < x.size(); ++i) CHECK(x[i] == Approx(y[i]).margin(1e-12));
    }
  }
}
