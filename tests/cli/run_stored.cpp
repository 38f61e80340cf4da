// Sweeps on their point store: grown ones, and what another process does meanwhile.

#include <catch2/catch.hpp>
#include <sstream>

#include "cli/job.hpp"
#include "cli/stored_sweep.hpp"
#include "rarefact/error.hpp"
#include "sweep/point_store.hpp"

using namespace rarefact;
using Catch::Contains;

TEST_CASE("a run whose points another has merged and removed reports the result") {
  const StoredSweep sweep;
  REQUIRE(sweep.run().code == 0);
  std::ostringstream out, err;
  const Streams streams{out, err};
  const auto merge_late = [&] {
    return with_job({{{"output", {sweep.result}}}, {sweep.experiment}}, streams, [&](const Job& job) {
      return unless_there(job, streams, []() -> ExitCode { throw FileError("no such folder"); });
    });
  };
  CHECK(merge_late() == ExitCode::done);
  CHECK_THAT(err.str(), Contains("there already"));
  // While the folder is there, something else is wrong.
  std::filesystem::create_directories(sweep.points);
  CHECK_THROWS_AS(merge_late(), FileError);
}

TEST_CASE(
    "a sweep that grew takes the points of its older result, and has the bytes of one computed at once") {
  const ScratchFolder folder;
  const std::string table = folder / "counts.tsv", steps = "[sweep]\nrun.steps = [3, 30]\n",
                    few = "sweep.run.steps=[3]";
  spill(table, "class\tcount\na\t9\nb\t4\nc\t1\n");
  // A sweep, and what makes it smaller: of other steps, groups, answers or tables of classes than the points that are left.
  for (const auto& [text, fewer] : std::vector<std::pair<std::string, std::string>>{
           {small_sweep, "sweep.seed=[1]"},
           {single_run + steps + "classes.groups = [2, 3]\n", few},
           {single_run + steps + "optimizer.gd.step_size = [1, 1e308]\n", few},
           {single_run + steps + "optimizer.muon.step_size = [0.1, 0.5]\ndata.label_noise = [0, 0.1]\n", few},
           {single_run +
                "[answers]\nlaw = \"hash\"\ncount = 4\n[sweep]\nanswers.law = [\"hash\", \"identity\"]\n",
            "sweep.answers.law=[\"identity\"]"},
           {"name = \"t\"\n[classes]\npath = \"" + table + "\"\ncolumn = \"count\"\ncount = 4\n" +
                single_run.substr(single_run.find("[run]")) +
                "[sweep]\nclasses.spectrum = [\"file\", \"uniform\"]\n",
            "sweep.classes.spectrum=[\"uniform\"]"}}) {
    const StoredSweep sweep(text), grown(text), fresh(text);
    INFO(text);
    const Outcome first = sweep.run();
    INFO(first.err);
    REQUIRE(first.code == 0);
    const std::string longer = "sweep.seed=[7, 1]";
    const Outcome refused = sweep.run({"--set", longer});
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains("is the result of a different experiment") && Contains("--reuse"));
    const Outcome more = grown.run({"--set", longer, "--reuse", sweep.result});
    CHECK(more.code == 0);
    CHECK_THAT(more.err, Contains("there already"));
    REQUIRE(fresh.run({"--set", longer}).code == 0);
    CHECK(slurp(fresh.result) == slurp(grown.result));
    CHECK_FALSE(std::filesystem::exists(grown.points));
    // Smaller again, of which not all steps and groups of the larger one are.
    const StoredSweep smaller(text), alone(text);
    const Outcome less = smaller.run({"--set", fewer, "--reuse", grown.result});
    CHECK(less.code == 0);
    CHECK_THAT(less.err, Contains("there already"));
    REQUIRE(alone.run({"--set", fewer}).code == 0);
    CHECK(slurp(smaller.result) == slurp(alone.result));
  }
}

TEST_CASE("status counts points that another process computes as running") {
  const StoredSweep sweep;
  REQUIRE(sweep.run({"--shard", "0/1"}).code == 0);
  auto points = sweep.records();
  const PointId computed = *point_named(points.begin()->first);
  points.erase(points.begin());
  points.erase(points.begin());
  sweep.store(points);
  PointLocks locks(sweep.points, PointLocks::Use::take);
  CHECK(locks.take(computed));
  CHECK_THAT(sweep.call("status").out, Contains("running  1\nmissing  1\ndamaged  0\n"));
}
