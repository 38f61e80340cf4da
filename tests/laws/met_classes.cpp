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
    for (const ParameterValues& parameters : variants(rule)) {
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
