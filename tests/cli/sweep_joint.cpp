// A sweep with keys that move together, from the file to the table.

#include <catch2/catch.hpp>

#include "cli/stored_sweep.hpp"
#include "experiment/plan.hpp"
#include "results/result_file.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

const std::string joint = R"(name = "joint"
[classes]
spectrum = "grouped_power_law"
groups = 3
exponent = 1
[run]
steps = 5
[[optimizer]]
rule = "gd"
step_size = 1
[[optimizer]]
rule = "muon"
step_size = 0.5
[sweep]
"optimizer.gd.step_size,classes.group_size" = [[1, 4], [250, 1000], [2.5e5, 1e6]]
run.steps = [5, 6]
)";

}  // namespace

TEST_CASE("a joint sweep is run at its points, and the file has each of the keys") {
  const StoredSweep place(joint);
  const Outcome outcome = place.run();
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK_THAT(outcome.err,
             Contains("6 points: classes.group_size, optimizer.gd.step_size (3) × run.steps (2)\n"));
  CHECK_THAT(outcome.out, Catch::StartsWith("classes.group_size  optimizer.gd.step_size  run.steps"));
  const Result result = read_result(place.result);
  CHECK(result.experiment == resolved_text(read_plan(place.experiment)));
  REQUIRE(result.runs.size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    const double size = std::vector<double>{4, 1000, 1e6}[i / 2];
    CHECK(result.runs[i].parameters ==
          std::map<std::string, SweptValue>{{"classes.group_size", size},
                                            {"optimizer.gd.step_size", size / 4},
                                            {"run.steps", static_cast<double>(5 + i % 2)}});
    CHECK(result.runs[i].class_count.front() == size);
  }
  const Outcome info = rarefact_program({"info", place.result});
  CHECK_THAT(info.out, Contains("sweep: classes.group_size, 3 values: 4, 1000, 1000000") &&
                           Contains("sweep: optimizer.gd.step_size, 3 values: 1, 250, 250000"));
}

TEST_CASE("run --dry-run names the keys of a joint axis with their values") {
  const StoredSweep place(joint);
  const Outcome dry = place.run({"--dry-run"});
  CHECK(dry.code == 0);
  CHECK_THAT(dry.out, Catch::StartsWith("# 6 points: classes.group_size, optimizer.gd.step_size (3) × "));
  CHECK_THAT(dry.out,
             Contains("# point 1: classes.group_size = 4, optimizer.gd.step_size = 1, run.steps = 6\n"));
  CHECK(place.folder.entries() == 1);
}
