#include <catch2/catch.hpp>
#include <cmath>

#include "cli/stored_sweep.hpp"
#include "experiment/plan.hpp"
#include "results/result_file.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

const std::string grid = R"(name = "grid"
[classes]
spectrum = "grouped_power_law"
groups = 3
group_size = 4
[embedding]
rho = 0.3
[run]
steps = 40
[[optimizer]]
rule = "gd"
step_size = 1
[[optimizer]]
rule = "muon"
step_size = 0.5
[sweep]
classes.exponent = [1, 2]
"embedding.kind" = ["identity", "equicorrelated"]
classes.groups = [2, 3]
)";

std::size_t lines_with(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

}  // namespace

TEST_CASE("a sweep runs every point into one file: parameters, texts among them, and padded groups") {
  const StoredSweep place(grid);
  const Outcome outcome = place.run();
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK_THAT(outcome.err,
             Contains("8 points: classes.exponent (2) × embedding.kind (2) × classes.groups (2)") &&
                 Contains("gd: engine columns (4 points), symmetric (4 points)"));
  const ExperimentPlan plan = read_plan(place.experiment);
  const Result result = read_result(place.result);
  CHECK(result.experiment == resolved_text(plan));
  REQUIRE(result.runs.size() == 8);
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(result.runs[i].index == static_cast<std::int64_t>(i));
    CHECK(result.runs[i].parameters == plan.point(i).parameters);
    CHECK(result.runs[i].class_count.size() == i % 2 + 2);
  }
  // A run alone gives the same numbers.
  const StoredSweep alone(grid);
  REQUIRE(alone
              .run({"--set", "classes.exponent=2", "--set", "embedding.kind=equicorrelated", "--set",
                    "classes.groups=2"})
              .code == 0);
  const Result one = read_result(alone.result);
  CHECK(one.runs[0].trajectories[1].series.at("error") == result.runs[6].trajectories[1].series.at("error"));
  CHECK(rarefact_program({"check", place.result}).code == 0);
}

TEST_CASE("the bytes of a sweep do not depend on the number of jobs") {
  const StoredSweep one(grid), two(grid);
  REQUIRE(one.run().code == 0);
  REQUIRE(two.run({"--jobs", "2"}).code == 0);
  CHECK(slurp(one.result) == slurp(two.result));
}

TEST_CASE("many runs end with one table, a line for each run and optimizer; info names the axes") {
  const StoredSweep place(grid);
  const Outcome outcome = place.run();
  CHECK_THAT(outcome.out, Catch::StartsWith("classes.exponent  classes.groups  embedding.kind  optimizer"));
  CHECK(lines_with(outcome.out, " muon ") == 8);
  CHECK(lines_with(outcome.out, " equicorrelated ") == 8);
  const Outcome info = rarefact_program({"info", place.result});
  CHECK_THAT(info.out, Contains("sweep: embedding.kind, 2 values: identity, equicorrelated") &&
                           Contains("sweep: classes.exponent, 2 values: 1, 2"));
}

TEST_CASE(
    "the option --dry-run prints the number of points and the first two experiments with their engines") {
  const StoredSweep place(grid);
  const Outcome dry = place.run({"--dry-run"});
  CHECK(dry.code == 0);
  CHECK_THAT(dry.out, Catch::StartsWith("# 8 points: "));
  CHECK_THAT(dry.out,
             Contains("# point 1: classes.exponent = 1, classes.groups = 3, embedding.kind = identity\n") &&
                 !Contains("# point 2") && Contains("\n# and 6 more points, not shown by --dry-run\n"));
  CHECK(lines_with(dry.out, "[classes]") == 2);
  CHECK(lines_with(dry.out, "# muon: engine symmetric") == 2);
  CHECK(place.folder.entries() == 1);
}

TEST_CASE("points that cannot run are named with their parameters before anything runs") {
  const StoredSweep place(grid);
  const Outcome outcome = place.run({"--set", "run.engine=columns"});
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("e.toml:14:8: error: point 0 (classes.exponent = 1, classes.groups = 2, "
                                   "embedding.kind = identity): ") &&
                              Contains("point 7 (classes.exponent = 2"));
  const Outcome many = place.run({"--set", "run.engine=columns", "--set", "sweep.seed={range=[0, 3]}"});
  CHECK_THAT(many.err, Contains("and 14 more points that cannot run"));
  CHECK(place.folder.entries() == 1);
}

TEST_CASE("progress says how many points are done") {
  const StoredSweep place(grid);
  CHECK_THAT(place.run({"--progress", "plain"}).err, Contains("8 of 8 points, "));
}

TEST_CASE("runs of different length share a file, and each says how far it came") {
  const StoredSweep place(grid);
  const Outcome outcome = place.run(
      {"--set", "sweep.run.steps=[3, 5]", "--set", "classes.groups=2", "--set", "embedding.kind=identity"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Result result = read_result(place.result);
  CHECK(result.steps == std::vector<std::int64_t>{0, 1, 2, 3, 4, 5});
  CHECK(std::isnan(result.runs[0].trajectories[0].series.at("loss")[4]));
  CHECK_THAT(outcome.out, Contains("  >3\n") && Contains("  >5\n"));
}

TEST_CASE("a sweep ends as a table: steps to learn all by exponent and optimizer") {
  const StoredSweep place(grid);
  REQUIRE(place.run({"--set", "embedding.kind=identity", "--set", "classes.groups=2"}).code == 0);
  const Outcome table =
      rarefact_program({"table", place.result, "--rows", "classes.exponent", "--columns", "optimizer",
                        "--value", "error", "--below", "0.1", "--format", "csv"});
  INFO(table.err);
  REQUIRE(table.code == 0);
  // The step at which the run itself first has an error of the tail below 0.1.
  std::string expected = "\nclasses.exponent,gd,muon\n";
  const Result result = read_result(place.result);
  for (const Run& run : result.runs) {
    expected += run.index == 0 ? "1" : "2";
    for (const Trajectory& trajectory : run.trajectories) {
      std::string step = ">40";
      for (std::size_t s = result.steps.size(); s-- > 0;) {
        if (trajectory.series.at("error")[2 * s + 1] < 0.1) step = std::to_string(result.steps[s]);
      }
      expected += "," + step;
    }
    expected += "\n";
  }
  CHECK_THAT(table.out, Contains(expected));
  CHECK_THAT(expected, !Contains("1,>40,>40"));
  // Texts are axes, too.
  const StoredSweep kinds(grid);
  REQUIRE(kinds.run({"--set", "classes.groups=2"}).code == 0);
  const Outcome by_kind = rarefact_program(
      {"table", kinds.result, "--rows", "classes.exponent", "--columns", "embedding.kind,optimizer"});
  CHECK_THAT(by_kind.out, Contains("identity, gd") && Contains("equicorrelated, muon"));
}

TEST_CASE(
    "a quadrature that was asked for and misses its tolerance is told of, with --strict by exit code 1") {
  const StoredSweep place(
      "name = 'q'\n[classes]\nspectrum = 'power_law'\ncount = 1e6\nexponent = 1\n[run]\nsteps = 6\n"
      "engine = 'quadrature'\nnodes = 8\nquadrature_tolerance = 1e-15\n[[optimizer]]\nrule = 'gd'\nstep_size "
      "= 1\n");
  const Outcome outcome = place.run({"--strict"});
  INFO(outcome.err);
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.out,
             Contains("gd is uncertified: its numbers are there, but their certified error, ") &&
                 Contains("quadrature: certified relative error of total error and loss at most "));
  CHECK(place.run().code == 0);
}
