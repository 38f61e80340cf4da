// Runs on samples in the symmetric algebra, of the classes that the samples show and one group of all others, against
// dense ones of every class.

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"

using namespace laws;

namespace {

Experiment sampled(const OptimizerRow& rule, const ParameterValues& parameters, const std::string& mode,
                   double noise) {
  Experiment e = identity_run(power_law(60.0, 1.2), rule, noise);
  e.optimizers.front().parameters = parameters;
  e.data_mode = mode;
  e.data_parameters = {{mode == "dataset" ? "size" : "batch", mode == "dataset" ? 20.0 : 4.0}};
  e.steps = 8;
  return e;
}

/// Of the classes that samples show, and of every class.
struct Pair {
  Result held, dense;
};
Pair on_both(Experiment e) {
  Pair pair;
  e.engine = Engine::symmetric;
  pair.held = simulate(e, {}, 1);
  e.engine = Engine::dense;
  pair.dense = simulate(e, {}, 1);
  return pair;
}

}  // namespace

TEST_CASE("of right answers that nobody drew doubles have the digits of fifty") {
  // Half of the answers are random: the right one of a query may not be among those drawn and gets ever less likely, and what is
  // drawn in equal parts ties. Signs of both are those of numbers far below the rounding of 1.
  for (const Engine engine : {Engine::symmetric, Engine::dense}) {
    Experiment e = identity_run(power_law(40.0, 1.0), "signgd", 0.5);
    e.data_mode = "dataset";
    e.data_parameters = {{"size", 12.0}};
    e.steps = 40;
    e.optimizers[0].step_size = 1;
    e.engine = Engine::symmetric;
    e.precision = 50;
    const Result exact = simulate(e, {}, 1);
    e.engine = engine;
    e.precision = 16;
    const Result doubles = simulate(e, {}, 1);
    const auto &x = only_trajectory(exact).series.at("loss"), &y = only_trajectory(doubles).series.at("loss");
    CAPTURE(engine);
    REQUIRE(y.size() == x.size());
    for (std::size_t i = 0; i < x.size(); ++i) CHECK(y[i] == Approx(x[i]).epsilon(1e-13));
  }
}

TEST_CASE(
    "a dense run counts the ranks of the classes that samples show, not of rounding in the columns of others") {
  Experiment e = identity_run(power_law(40.0, 1.2), "muon", 0.3);
  e.optimizers[0].parameters.set("momentum", 0.9);
  e.data_mode = "minibatch";
  e.data_parameters = {{"batch", 4.0}};
  e.seed = 4;
  e.spectral_metrics = "on";
  e.steps = 30;
  const auto [held, dense] = on_both(e);
  for (const char* name : {"update_rank", "weight_rank"})
    CHECK(only_trajectory(held).series.at(name) == only_trajectory(dense).series.at(name));
}

TEST_CASE("what is measured of the next update is of the sample after the last step, too") {
  for (const std::string mode : {"minibatch", "dataset"}) {
    Experiment e =
        sampled(optimizer_row("muon"), with_defaults(optimizer_row("muon").parameters, {}), mode, 0.3);
    e.push = true;
    e.spectral_metrics = "on";
    e.steps = 2;
    const auto [held, dense] = on_both(e);
    for (const char* name : {"push", "update_rank", "update_frobenius_norm", "weight_frobenius_norm"}) {
      const auto &x = only_trajectory(held).series.at(name), &y = only_trajectory(dense).series.at(name);
      CAPTURE(mode, name);
      REQUIRE(x.size() == y.size());
      for (std::size_t i = 0; i < x.size(); ++i) CHECK(x[i] == Approx(y[i]).margin(1e-12));
    }
  }
}
