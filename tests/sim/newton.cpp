#include <catch2/catch.hpp>
#include <cmath>

#include "laws/experiments.hpp"
#include "reference/with_defaults.hpp"

using namespace laws;

namespace {

const ChosenRow zipf = power_law(40.0, 1.3);

Experiment newton(const ChosenRow& side, double step_size, std::int64_t steps, double noise = 0) {
  Experiment e = experiment(zipf, side, side, noise, optimizer_row("newton"));
  e.optimizers[0].step_size = step_size;
  e.steps = steps;
  return e;
}

}  // namespace

TEST_CASE("newton's margins are predicted where embeddings are independent, not where classes may interact") {
  const auto predicted = [](const ChosenRow& side) {
    return only_trajectory(simulate(newton(side, 0.02, 1), {}, 1)).series.contains("loss_predicted");
  };
  CHECK(predicted(embedding("orthogonal", {{"dimension", 50.0}})));
  CHECK(predicted(embedding("toeplitz", {{"rho", 0.5}})));
  CHECK_FALSE(predicted(embedding("gaussian", {{"dimension", 39.0}})));  // fewer dimensions than classes
}

TEST_CASE("a newton run whose solve stalls is diverged, says why, and keeps what was recorded") {
  // After the first step margins are millions and wrong answers e^-1000000 or less, which no exponent of
  // doubles holds, but label noise pushes on.
  Experiment e = newton(embedding("identity"), 1e5, 5, 0.1);
  for (const char* metrics : {"on", "off"}) {
    e.spectral_metrics = metrics;
    const Result result = simulate(e, {}, 1);
    const Trajectory& t = only_trajectory(result);
    CHECK(t.status == "diverged");
    CHECK(t.status_step == 1);
    CHECK(t.status_detail.find("relative residual") != std::string::npos);
    CHECK(std::isfinite(t.series.at("loss")[1]));
    CHECK(std::isnan(t.series.at("loss")[2]));
  }
}
