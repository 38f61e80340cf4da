#include <catch2/catch.hpp>
#include <filesystem>

#include "cli/one_run.hpp"
#include "results/result_file.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

const char* const text = R"(name = "steps"
[classes]
spectrum = "power_law"
count = 1000
exponent = 1.2
[run]
steps = 1_000_000_000_000
record = {log = 3}
[[optimizer]]
rule = "gd"
step_size = 1000
)";

}  // namespace

TEST_CASE(
    "a run of a million million steps says how many updates it made, and records as many steps a decade as asked") {
  const OneRun place(text);
  const Outcome outcome = place.run({});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK_THAT(
      outcome.out,
      Contains(
          " of 1000000000000 updates made one by one; the others are certified to a relative error of 1"));
  const Result result = read_result(place.result);
  CHECK(result.steps.back() == 1'000'000'000'000);
  CHECK(result.steps.size() > 3 * 11);
  CHECK(result.steps.size() < 3 * 12 + 6);
  const Trajectory& gd = result.runs[0].trajectories[0];
  CHECK(gd.updates > 0);
  CHECK(gd.updates < 100'000);
  CHECK(gd.fast_forward_error <= 1e-10);
  // The loss of a rare class tends to (K-1)/(p K t), t = η n.
  const double p = result.runs[0].class_probability.back();
  CHECK(gd.series.at("class_loss").back() * p * 1000 * 1e12 == Approx(0.999).epsilon(1e-6));
}

TEST_CASE("steps that would take more than thirty years are refused with the reason") {
  const OneRun place(text);
  for (const auto& [set, words] :
       {std::pair{"optimizer.gd.rule=adam", "run.fast_forward supports gd, momentum and ngd, not adam"},
        std::pair{"run.fast_forward=off", "run.fast_forward is \"off\""},
        std::pair{"optimizer.gd.schedule=linear", "the step size changes"},
        std::pair{"model.loss=least_squares", "least squares has no margins"}}) {
    const Outcome outcome = place.run({set, "run.steps=1000000000000000000"});
    CAPTURE(set, outcome.err);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains("one by one would take") && Contains(words));
    CHECK_FALSE(std::filesystem::exists(place.result));
  }
  for (const char* set : {"run.record={log = 0}", "run.fast_forward=maybe", "run.steps=1e19"}) {
    CAPTURE(set);
    CHECK(place.run({set}).code == 2);
  }
}
