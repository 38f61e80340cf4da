#include <catch2/catch.hpp>
#include <filesystem>

#include "cli/stored_sweep.hpp"
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
  const StoredSweep place(text);
  const Outcome outcome = place.run();
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
