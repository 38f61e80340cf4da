// Searches for step sizes from the command line: what is stored and said, alone and in sweeps.

#include <catch2/catch.hpp>

#include "cli/stored_sweep.hpp"
#include "results/result_file.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

const std::string search = R"(name = "search"
[classes]
spectrum = "grouped_power_law"
groups = 3
group_size = 4
exponent = 1.5
[data]
label_noise = 0.1
[run]
steps = 20
[[optimizer]]
rule = "gd"
step_size = 1
[[optimizer]]
rule = "muon"
step_size = {search = [0.01, 10, 7]}
)";

}  // namespace

TEST_CASE("the chosen step size is stored beside those that were given, and again computes nothing") {
  const StoredSweep single(search);
  const Outcome outcome = single.run();
  REQUIRE(outcome.code == 0);
  CHECK_THAT(outcome.err, !Contains("best step size"));
  const Result result = read_stored_result(single.result).result;
  const auto& trajectories = result.runs[0].trajectories;
  REQUIRE(trajectories.size() == 2);
  CHECK(trajectories[0].step_size == 1);
  CHECK(trajectories[1].step_size > 0.01);
  CHECK(trajectories[1].step_size < 10);
  CHECK(trajectories[1].step_size_edge == 0);
  CHECK_THAT(single.run().err, Contains("nothing to do"));
}

TEST_CASE("a best step size at an end of the range is a warning, each time the result is shown") {
  const StoredSweep single(search);
  const std::string low = "optimizer.muon.step_size={search = [1e-3, 1e-2, 3]}";
  for (int i = 0; i < 2; ++i) {
    CHECK_THAT(single.run({"--set", low}).err,
               Contains("warning: muon: the best step size, 0.01, is the largest tried; a better one may lie "
                        "beyond"));
  }
  const StoredSweep high(search);
  CHECK_THAT(
      high.run({"--set", "optimizer.muon.step_size={search = [20, 80, 3]}", "--set", "run.steps=1"}).err,
      Contains("is the least tried"));
}
