// Long points from the command line: stopped within a point, resumed from checkpoints, to the same bytes.

#include <catch2/catch.hpp>
#include <chrono>

#include "cli/stored_sweep.hpp"
#include "reference/sanitizer.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

/// Steps that take a few seconds, so that --max-time, which counts in seconds, stops a run in its middle.
const std::string many = reference::under_sanitizer ? "10000" : "100000",
                  half_as_many = reference::under_sanitizer ? "5000" : "50000";

const std::string long_run = R"(name = "long"
[classes]
spectrum = "grouped_power_law"
groups = 20
group_size = 10
exponent = 1.5
[run]
steps = )" + many + R"(
record = [0, 1, 10, 100, 1000]
spectral_metrics = "off"
[[optimizer]]
rule = "gd"
step_size = 1
[[optimizer]]
rule = "muon"
step_size = 0.3
momentum = 0.5
)";

std::string the_checkpoint(const StoredSweep& sweep) {
  for (const auto& [name, bytes] : sweep.stored()) {
    if (name.ends_with(".checkpoint")) return name;
  }
  return "";
}

}  // namespace

TEST_CASE("a run that --max-time stops within its only point, between two leaps, goes on to the same bytes") {
  const std::string leaping = R"(name = "leaps"
[classes]
spectrum = "power_law"
count = 1e12
exponent = 1.5
[run]
steps = 1000000000000000000
record = {log = 16}
nodes = )" + std::string(reference::under_sanitizer ? "32" : "64") +
                              R"(
quadrature_tolerance = 0.01
engine = "quadrature"
spectral_metrics = "off"
[[optimizer]]
rule = "ngd"
step_size = 10
)";
  const StoredSweep sweep(leaping), whole(leaping);
  const auto start = std::chrono::steady_clock::now();
  const Outcome stopped = sweep.run({"--max-time", "1s"});
  // A second, and what a busy machine needs for one leap more.
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(12));
  REQUIRE(stopped.code == 75);
  CHECK_THAT(stopped.err, Contains("stopped (--max-time): the same command continues from what is stored "
                                   "in " +
                                   sweep.points.string()));
  CHECK_FALSE(std::filesystem::exists(sweep.result));
  const std::string name = the_checkpoint(sweep);
  REQUIRE(name.size() == 64 + 11);

  // Fewer steps are another experiment: its run does not touch the checkpoint of this one.
  REQUIRE(sweep.run({"--set", "run.steps=1001"}).code == 0);
  sweep.forget_result();
  CHECK(the_checkpoint(sweep) == name);

  const Outcome resumed = sweep.run();
  REQUIRE(resumed.code == 0);
  CHECK_THAT(resumed.err, Contains("continuing from the checkpoint " + (sweep.points / name).string()));
  CHECK_FALSE(std::filesystem::exists(sweep.points));
  REQUIRE(whole.run().code == 0);
  CHECK(slurp(sweep.result) == slurp(whole.result));
}

TEST_CASE("the points of a sweep have checkpoints too, which are gone when the points are there") {
  std::string half = long_run;
  half.replace(half.find(many), many.size(), half_as_many);
  const StoredSweep sweep(half + "[sweep]\nclasses.exponent = [1.5, 2]\n");
  int stops = 0;
  for (; sweep.run({"--max-time", "1s", "--checkpoint", "1s"}).code == 75 && stops < 1000; ++stops) {
  }
  CHECK(stops > 0);
  CHECK(std::filesystem::exists(sweep.result));
  CHECK_FALSE(std::filesystem::exists(sweep.points));
  const StoredSweep single(half + "[sweep]\nclasses.exponent = [1.5, 2]\n");
  REQUIRE(single.run().code == 0);
  CHECK(slurp(single.result) == slurp(sweep.result));
}
