#include <catch2/catch.hpp>

#include "laws/experiments.hpp"

using namespace laws;

namespace {

/// 1 - Σ p (1 - p̂) from the rows of all classes, at the recorded step number t.
double from_errors(const Result& result, std::size_t t) {
  const Run& run = result.runs.at(0);
  const auto& error = only_trajectory(result).series.at("error");
  double sum = 0;
  for (std::size_t i = 0; i < run.class_count.size(); ++i)
    sum += run.class_count[i] * run.class_probability[i] * error[t * run.class_count.size() + i];
  return 1 - sum;
}

}  // namespace

TEST_CASE("soft recovery is one minus the mean error by probability, on every engine") {
  const Component spectrum{"power_law", {{"count", 300.0}, {"exponent", 1.2}}};
  for (const std::string engine : {"dense", "columns", "symmetric", "quadrature"}) {
    CAPTURE(engine);
    Experiment e = experiment(spectrum, embedding("identity"), embedding("identity"), 0.1,
                              optimizer_row(engine == "columns" ? "gd" : "muon"));
    e.engine = engine_named(engine);
    const Result result = simulate(e, {}, 1);
    const auto& soft = only_trajectory(result).series.at("soft_recovery");
    REQUIRE(soft.size() == result.steps.size());
    for (std::size_t t = 0; t < soft.size(); ++t) {
      CHECK(soft[t] == Approx(from_errors(result, t)).epsilon(1e-9));
    }
    CHECK(soft.front() == Approx(1 / 300.0).epsilon(1e-12));
    CHECK(soft.back() > soft.front());
  }
}

TEST_CASE("the loss drop is the share of ln K that the loss has lost, on every engine") {
  const Component spectrum{"power_law", {{"count", 300.0}, {"exponent", 1.2}}};
  for (const std::string engine : {"dense", "columns", "symmetric", "quadrature"}) {
    CAPTURE(engine);
    Experiment e =
        experiment(spectrum, embedding("identity"), embedding("identity"), 0.1, optimizer_row("gd"));
    e.engine = engine_named(engine);
    e.steps = 200;
    const Result result = simulate(e, {}, 1);
    const auto &loss = only_trajectory(result).series.at("loss"),
               &drop = only_trajectory(result).series.at("loss_drop");
    REQUIRE(drop.size() == loss.size());
    CHECK(drop.front() == Approx(0).margin(1e-14));
    CHECK(drop.back() > 0.1);
    for (std::size_t t = 0; t < loss.size(); ++t)
      CHECK(drop[t] == Approx((std::log(300.0) - loss[t]) / std::log(300.0)).margin(1e-14));
  }
}

TEST_CASE("soft recovery of many classes at the start is 1/K to its last digits, not a difference from 1") {
  Experiment e = experiment({"power_law", {{"count", 1e15}, {"exponent", 1.2}}}, embedding("identity"),
                            embedding("identity"), 0, optimizer_row("gd"));
  e.classes = {};
  e.engine = Engine::quadrature;
  e.steps = 1;
  const Result result = simulate(e, {}, 1);
  CHECK(only_trajectory(result).series.at("soft_recovery").front() == Approx(1e-15).epsilon(1e-12));
}
