#include <catch2/catch.hpp>
#include <cmath>

#include "laws/experiments.hpp"
#include "reference/with_defaults.hpp"

using namespace laws;

namespace {

Experiment plain(const ChosenRow& spectrum, const std::string& rule, double step_size, std::int64_t steps,
                 double noise = 0) {
  Experiment e = identity_run(spectrum, rule, noise);
  e.optimizers[0].step_size = step_size;
  e.steps = steps;
  return e;
}

const ChosenRow heads_and_tails{"two_level", {{"count", 10.0}, {"head_fraction", 0.2}, {"head_mass", 0.8}}};

const ChosenRow zipf = power_law(40.0, 1.3);

Experiment newton(const ChosenRow& side, double step_size, std::int64_t steps, double noise = 0) {
  Experiment e = experiment(zipf, side, side, noise, optimizer_row("newton"));
  e.optimizers[0].step_size = step_size;
  e.steps = steps;
  return e;
}

}  // namespace

TEST_CASE("up to K = 1e300 every rule moves its margins as for any K, on every engine") {
  for (const double classes : {1e170, 1e250, 1e300}) {
    for (const double noise : {0.0, 0.1}) {
      for (const OptimizerRow& row : complete_rules()) {
        const bool columns = row.symmetries_of(with_defaults(row.parameters, {})).keeps_wrong_ties;
        for (const char* engine : {"columns", "symmetric"}) {
          if (std::string(engine) == "columns" ? !columns : row.reads_hessian) continue;
          const bool linear = row.name == "gd" || row.name == "momentum";
          Experiment e =
              plain({"uniform", {{"count", classes}}}, row.name, linear ? 40 * classes : 40, 8, noise);
          e.classes = {};
          const Result result = on_engine(e, engine);
          const Trajectory& t = only_trajectory(result);
          CAPTURE(classes, noise, row.name, engine);
          CHECK(t.status == "complete");
          // ln K = 391 and more; after 8 steps of 40 the right logit is about 320 above the wrong ones.
          if (row.name != "adam" && row.name != "ngd")
            CHECK(t.series.at("loss")[8] < t.series.at("loss")[0] - 200);
          if (t.series.count("loss_predicted") != 0) {
            CHECK(t.series.at("loss")[8] == Approx(t.series.at("loss_predicted")[8]).epsilon(1e-10));
          }
        }
      }
    }
  }
}

TEST_CASE("a loss that stops being finite ends the run before it is recorded") {
  Experiment e = plain(heads_and_tails, "signgd", 1.7e308, 10, 0.2);
  const Result result = simulate(e, {}, 1);
  const Trajectory& t = only_trajectory(result);
  CHECK(t.status == "diverged");
  CHECK(t.status_step == 0);
  CHECK(std::isfinite(t.series.at("loss")[0]));
  for (std::size_t step = 1; step <= 10; ++step) CHECK(std::isnan(t.series.at("loss")[step]));
}

TEST_CASE("a run that leaves the finite numbers is diverged, says where, and keeps what was recorded") {
  Experiment e = plain({"uniform", {{"count", 4.0}}}, "momentum", 1e308, 50);
  const Result result = simulate(e, {}, 1);
  const Trajectory& t = only_trajectory(result);
  CHECK(t.status == "diverged");
  const auto last = static_cast<std::size_t>(t.status_step);
  CHECK(t.status_detail.find("‖∇L‖ = ") == 0);
  CHECK(t.status_detail.find("after step " + std::to_string(last + 1)) != std::string::npos);
  REQUIRE(last < 50);
  CHECK(std::isfinite(t.series.at("loss")[last]));
  CHECK(std::isnan(t.series.at("loss")[last + 1]));
  e = plain({"uniform", {{"count", 4.0}}}, "formula", 1, 5);
  e.optimizers[0].parameters = {{"direction", std::string("G + exp(4000*norm(G))*G")}};
  const Result named = simulate(e, {}, 1);
  CHECK_THAT(only_trajectory(named).status_detail,
             Catch::Contains("; the first part that is not finite is exp(4000*norm(G)) of direction"));
  e.optimizers[0].parameters = {{"direction", std::string("G/norm(W)")}};
  const Result divided = simulate(e, {}, 1);
  CHECK(only_trajectory(divided).status == "diverged");
}

TEST_CASE("Newton-Schulz says from which step on its δ decides, and that few steps do nothing at K = 1e18") {
  Experiment e = plain({"uniform", {{"count", 4.0}}}, "formula", 1, 40);
  const auto loss = [&e](const std::string& delta, const std::string& said) {
    e.optimizers[0].parameters = {{"direction", "newton_schulz(G, 5, " + delta + ")"}};
    const Result result = simulate(e, {}, 1);
    CHECK_THAT(only_trajectory(result).status_detail, Catch::Contains(said));
    CHECK(only_trajectory(result).status_detail.empty() == said.empty());
    return only_trajectory(result).series.at("loss").back();
  };
  CHECK(loss("1e-7", " on δ = 1e-07 is above the norm ") > 1e-11);
  CHECK(loss("1e-300", "") < 1e-11);
  e = plain({"uniform", {{"count", 1e18}}}, "formula", 1, 2);
  e.classes = {};
  loss("0", "from step 0 on 5 steps of the polynomial only multiply it by 485");
}

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
