#include <catch2/catch.hpp>

#include "cli/stored_sweep.hpp"
#include "results/result_file.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

const char* const text = R"(name = "squares"
[model]
loss = "least_squares"
[classes]
spectrum = "two_level"
count = 6
head_fraction = 0.5
head_mass = 0.8
[data]
query_noise = 0.5
[run]
steps = 10
[[optimizer]]
rule = "muon"
step_size = 0.01
)";

}  // namespace

TEST_CASE("a run on least squares closes with coefficients, and its file has nothing of probabilities") {
  const StoredSweep place(text);
  const Outcome outcome = place.run();
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK_THAT(outcome.err,
             Contains("muon: engine modes") && Contains("one number for each of 2 groups of modes"));
  CHECK_THAT(outcome.out, Contains("tail coefficient") && !Contains("error") && !Contains("nats"));
  const Result result = read_result(place.result);
  const Trajectory& muon = result.runs[0].trajectories[0];
  for (const char* name : {"error", "gap", "recovered_count", "soft_recovery", "loss_drop"})
    CHECK(!muon.series.contains(name));
  CHECK(muon.series.at("coefficient").back() == Approx(0.1));
  CHECK(find_row(result.variables, "loss")->units == "1");
  const auto table = [&](const char* name) {
    return rarefact_program({"table", place.result, "--value", name});
  };
  CHECK(table("coefficient").code == 0);
  for (const char* name : {"error", "gap", "recovered_count"}) {
    const Outcome refused = table(name);
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains("of probabilities, which least squares has not"));
  }
}
