#include <catch2/catch.hpp>

#include "cli/json.hpp"
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
"optimizer.gd.step_size,classes.groups" = [[1, 2], [4, 3]]
)";

std::size_t lines_with(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

}  // namespace

TEST_CASE(
    "a sweep runs every point into one file: parameters, texts and joint ones among them, and padded groups") {
  const StoredSweep place(grid);
  const Outcome outcome = place.run();
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK_THAT(outcome.err, Contains("8 points: classes.exponent (2) × embedding.kind (2) × classes.groups, "
                                   "optimizer.gd.step_size (2)") &&
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
  CHECK_THAT(outcome.out, Catch::StartsWith("classes.exponent  classes.groups  embedding.kind  "
                                            "optimizer.gd.step_size  optimizer"));
  CHECK(lines_with(outcome.out, " muon ") == 8);
  CHECK(lines_with(outcome.out, " equicorrelated ") == 8);
  const Outcome info = rarefact_program({"info", place.result});
  CHECK_THAT(info.out, Contains("sweep: embedding.kind, 2 values: identity, equicorrelated") &&
                           Contains("sweep: optimizer.gd.step_size, 2 values: 1, 4"));
  CHECK(rarefact_program({"check", place.result}).code == 0);
}

TEST_CASE(
    "the option --dry-run prints the number of points and the first two experiments with their engines") {
  const StoredSweep place(grid);
  const Outcome dry = place.run({"--dry-run"});
  CHECK(dry.code == 0);
  CHECK_THAT(dry.out, Catch::StartsWith("# 8 points: "));
  CHECK_THAT(dry.out,
             Contains("# point 1: classes.exponent = 1, classes.groups = 3, embedding.kind = identity, "
                      "optimizer.gd.step_size = 4\n") &&
                 !Contains("# point 2") && Contains("\n# and 6 more points, not shown by --dry-run\n"));
  CHECK(lines_with(dry.out, "[classes]") == 2);
  CHECK(lines_with(dry.out, "# muon: engine symmetric") == 2);
  CHECK(place.folder.entries() == 1);
}

TEST_CASE("estimated times are divided by the threads, but not below that of the longest small training") {
  const auto seconds = [](const std::string& text, const std::string& jobs) {
    const Outcome dry =
        StoredSweep(text).run({"--dry-run", "--json", "--jobs", jobs, "--set", "run.steps=10_000_000",
                               "--set", "run.fast_forward=off", "--set", "run.record=log"});
    INFO(dry.err);
    REQUIRE(dry.code == 0);
    return Json::parse(dry.out)["seconds"].get<double>();
  };
  const double all = seconds(grid, "1");
  CHECK(seconds(grid, "2") == Approx(all / 2).epsilon(0.01));
  CHECK(seconds(grid, "64") == seconds(grid, "32"));
  CHECK(seconds(grid, "64") > all / 16);  // of 16 runs one is the longest
  std::string single = grid.substr(0, grid.find("[sweep]"));
  single.replace(single.find("[embedding]\n"), 12, "exponent = 1\n[embedding]\nkind = \"equicorrelated\"\n");
  CHECK(seconds(single, "64") > seconds(single, "1") / 2);  // and of two
}

TEST_CASE("points that cannot run are named with their parameters before anything runs") {
  const StoredSweep place(grid);
  const Outcome outcome = place.run({"--set", "run.engine=columns"});
  CHECK(outcome.code == 2);
  CHECK_THAT(outcome.err, Contains("e.toml:14:8: error: point 0 (classes.exponent = 1, classes.groups = 2, "
                                   "embedding.kind = identity, optimizer.gd.step_size = 1): ") &&
                              Contains("point 7 (classes.exponent = 2"));
  const Outcome many = place.run({"--set", "run.engine=columns", "--set", "sweep.seed={range=[0, 3]}"});
  CHECK_THAT(many.err, Contains("and 14 more points that cannot run"));
  CHECK(place.folder.entries() == 1);
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
             Contains("gd is uncertified; its numbers are kept: the certified error of quadrature ") &&
                 Contains("quadrature: certified relative error of total error and loss at most "));
  CHECK(place.run().code == 0);
}
