// Ties of the right answer with wrong ones are decided by a rule, not by rounding.

#include <catch2/catch.hpp>

#include "laws/experiments.hpp"
#include "sim/direction_measures.hpp"

using namespace laws;

namespace {

/// Of a few draws with wrong answers among them: columns no draw has touched, and answers drawn equally often.
Experiment tied(double step_size) {
  Experiment e = identity_run({"uniform", {{"count", 12.0}}}, "muon", 0.5);
  e.data_mode = "dataset";
  e.data_parameters = {{"size", std::int64_t{24}}};
  e.recovered = "removed";
  e.steps = 20;
  e.digits = "on";
  e.optimizers[0].step_size = step_size;
  return e;
}

/// The recorded steps at which rounding is smaller than a tie: 2^-40 has twelve digits.
std::size_t known_steps(const Result& result) {
  const std::vector<double>& digits = series(result, "digits");
  return static_cast<std::size_t>(
      std::find_if(digits.begin(), digits.end(), [](double left) { return !(left > 12); }) - digits.begin());
}

std::vector<double> first(std::size_t steps, const std::vector<double>& series) {
  return {series.begin(), series.begin() + static_cast<std::ptrdiff_t>(steps)};
}

}  // namespace

TEST_CASE("that rounding decides which facts are recovered is noted") {
  // W returns to 0 at every second step, up to rounding that grows beyond that of a tie.
  const Trajectory run = only_trajectory(run_of_text(
      "[classes]\nspectrum = 'uniform'\ncount = 4\n[data]\nlabel_noise = 0.5\n[run]\nsteps = 40\ndigits = 'on'\n"
      "engine = 'dense'\n[[optimizer]]\nrule = 'muon'\nstep_size = 7.07\npolar = 'polar_express'\n"));
  CHECK_THAT(run.status_detail, Catch::Contains("on rounding decides which facts are recovered"));
  CHECK(run.series.at("loss_drop_digits").back() < 1);
}

TEST_CASE("a last digit of the step size changes no tie, and so no run that removes recovered facts") {
  for (const double step_size : {0.1, 0.3, 0.7}) {
    const Result one = simulate(tied(step_size), {}, 1),
                 other = simulate(tied(step_size * (1 + 1e-15)), {}, 1);
    CAPTURE(step_size);
    // At 0.7 the facts that remain drive errors to where rounding is all there is; `digits` says from where on.
    const std::size_t known = std::min(known_steps(one), known_steps(other));
    CHECK(known >= (step_size < 0.5 ? 20 : 10));
    for (const std::string name : {"recovered_count", "tied_count"})
      CHECK(first(known, series(one, name)) == first(known, series(other, name)));
    CHECK_THAT(first(known, series(one, "loss")),
               Catch::Matchers::Approx(first(known, series(other, "loss"))).margin(1e-8));
    CHECK(series(one, "tied_count").front() == 12);  // W = 0
    CHECK(series(one, "tied_count").back() > 0);
    CHECK(series(one, "tied_count").back() + series(one, "recovered_count").back() <= 12);
  }
}

TEST_CASE("repetitions decide ties as the run does, on every engine") {
  for (const std::string rule : {"gd", "signgd", "muon"}) {
    Experiment e = identity_run(spectra()[4], rule);
    e.data_mode = "minibatch";
    e.data_parameters = {{"batch", std::int64_t{8}}};
    e.recovered = "removed";
    e.digits = "on";
    CAPTURE(rule);
    CHECK(series(simulate(e, {}, 1), "digits").back() > 10);
  }
}

TEST_CASE("a class that ties but for rounding is not lost to ϱ, one that is behind is") {
  OneStepLogits<double> logits{
      [](const double& scale) { return Vector::Constant(3, std::log(11.0) - scale); },
      Vector::Constant(3, 1.0)};
  logits.margin(2) = -1e-14;
  CHECK(measure_rho(logits, 0.1).infimum == measure_rho(logits, 0.1).at_threshold);
  logits.margin(2) = -1e-10;
  CHECK(measure_rho(logits, 0.1).infimum == 0);
}

TEST_CASE("margins that are small beside others, but known, are no ties") {
  Experiment e = identity_run(power_law(1e5, 3.6), "gd");
  e.classes = {};
  e.steps = 3;
  const Result result = simulate(e, {}, 1);
  CHECK(series(result, "recovered_count").back() == 1e5);
  CHECK(series(result, "tied_count").back() == 0);
}

TEST_CASE("where W returns to 0 its rounding is a tie on every engine, and no fact is removed as recovered") {
  // 0.1 + 0.2 - 0.3 is 5.6e-17 in doubles.
  const std::string there = "where(2 > t, 0.1, where(3 > t, 0.2, -0.3))*sign(G)";
  for (const char* engine : {"columns", "symmetric", "dense"}) {
    for (const bool answers : {false, true}) {
      for (const std::string& direction : {there, "1e-3*(" + there + ")"}) {
        Experiment e = identity_run(power_law(5.0), "gd");
        if (answers) e.answers = law_of("fan_in", {{"fan_in", std::vector<double>{1, 4}}});
        e.optimizers[0] = {"it", "formula", 1, {{"direction", direction}}};
        e.steps = 3;
        e.engine = engine;
        e.rho_epsilon = 0.1;
        CAPTURE(engine, answers, direction);
        const Result result = simulate(e, {}, 1);
        CHECK(series(result, "recovered_weight").at(2) == Approx(1));
        CHECK(series(result, "recovered_weight").at(3) == 0);
        CHECK(series(result, "tied_count").at(3) == series(result, "tied_count").at(0));
        CHECK(std::isnan(series(result, "rho").at(3)));
        if (answers || direction != there) continue;
        // Of facts that are removed once they are recovered the gradient is gone, and a memory makes the steps.
        e.recovered = "removed";
        e.rho_epsilon = 0;
        e.steps = 4;
        e.optimizers[0].parameters = {
            {"direction", "where(4 > t, where(2 > t, 0.1, where(3 > t, 0.2, -0.3))*sign(B), sign(G))"},
            {"state.B", "B + G"}};
        CHECK(series(simulate(e, {}, 1), "recovered_weight").at(4) == Approx(1));
      }
    }
  }
}

TEST_CASE("an exact tie has no ϱ, with embeddings written out as without") {
  Experiment e = identity_run(
      {"grouped_power_law", {{"groups", 10.0}, {"group_size", 3.0}, {"exponent", 0.5}}}, "muon", 0.5);
  e.optimizers[0].step_size = 4.3094004154445225;
  e.rho_epsilon = 0.1;
  e.steps = 2;
  for (const char* engine : {"symmetric", "dense"}) {
    e.engine = engine;
    CAPTURE(engine);
    const Result result = simulate(e, {}, 1);
    CHECK(std::isfinite(series(result, "rho").at(1)));
    CHECK(std::isnan(series(result, "rho").at(2)));
    CHECK(std::isnan(series(result, "rho_scale").at(2)));
  }
}
