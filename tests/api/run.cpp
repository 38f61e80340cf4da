#include "rarefact/run.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "io/scratch_folder.hpp"

using namespace rarefact;
using Catch::Matchers::Contains;

TEST_CASE(
    "another program runs every point of a sweep, with its overrides, and any threads give one result") {
  const ScratchFolder folder;
  std::ofstream(folder / "e.toml")
      << "name = 'mine'\n[classes]\nspectrum = 'uniform'\ncount = 5\n"
         "[[optimizer]]\nrule = 'gd'\nstep_size = 1\n[sweep]\n'run.steps' = [3, 7]\n";
  const std::vector<std::string> larger = {"optimizer.gd.step_size=2"};
  const Result result = run(folder / "e.toml", {.threads = 2, .overrides = larger});
  REQUIRE(result.runs.size() == 2);
  CHECK(result.runs[1].index == 1);
  CHECK(result.runs[1].trajectories.at(0).step_size == 2);
  CHECK(result.runs[1].trajectories[0].series.at("loss").size() == result.steps.size());
  const Result again = run(folder / "e.toml", {.threads = 1, .overrides = larger});
  CHECK(again.runs[1].trajectories[0].series.at("loss") == result.runs[1].trajectories[0].series.at("loss"));
}

TEST_CASE("what is wrong with an experiment is thrown with its place before any of it runs") {
  const ScratchFolder folder;
  std::ofstream(folder / "e.toml") << "name = 'mine'\n[classes]\nspectrum = 'uniform'\ncount = 0\n";
  CHECK_THROWS_WITH(run(folder / "e.toml"), Contains("e.toml:4:9: error: ") && Contains("count"));
}
