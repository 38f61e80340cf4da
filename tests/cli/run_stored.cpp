// Sweeps on their point store: resume, shards, merge, status.

#include <catch2/catch.hpp>
#include <sstream>

#include "cli/job.hpp"
#include "cli/stored_sweep.hpp"
#include "rarefact/error.hpp"
#include "results/result_file.hpp"
#include "sweep/point_claims.hpp"

using namespace rarefact;
using Catch::Contains;

TEST_CASE("a sweep leaves its result and nothing that duplicates it; till then its points are in one file") {
  const StoredSweep sweep;
  REQUIRE(sweep.run({"--shard", "0/1"}).code == 0);
  CHECK(sweep.stored().size() == 1);
  CHECK(sweep.records().size() == 6);
  CHECK(sweep.call("merge", {"--partial"}).code == 0);
  const Outcome all = sweep.run();
  CHECK(all.code == 0);
  CHECK_THAT(all.err, Contains("6 points are there already"));
  CHECK(slurp(sweep.result) == undisturbed());
  CHECK(has_checksum(sweep.result));
  CHECK_FALSE(std::filesystem::exists(sweep.points));
  CHECK_THAT(sweep.call("status").out, Contains("done     6\n") && Contains("missing  0\n"));
  CHECK_THAT(sweep.run({"--dry-run"}).out, Contains("# 6 done, 0 missing\n\n# point 0"));
}

TEST_CASE("what a kill between the result and the end left is forgotten by the next command") {
  const StoredSweep sweep;
  REQUIRE(sweep.run({"--shard", "0/1"}).code == 0);
  const auto points = sweep.records();
  for (const char* command : {"merge", "merge", "run"}) {
    REQUIRE(sweep.call(command).code == 0);
    CHECK_FALSE(std::filesystem::exists(sweep.points));
    std::filesystem::create_directories(sweep.points);
    sweep.store(points);
  }
}

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

TEST_CASE("only missing points are computed, and damaged ones are reported and computed again") {
  const StoredSweep sweep;
  REQUIRE(sweep.run({"--shard", "0/1"}).code == 0);
  const auto whole = sweep.records();
  auto some = whole;
  some.erase(some.begin());
  std::string& flipped = some.begin()->second;
  flipped[flipped.size() / 2] ^= 1;
  // What a kill left of a record is nothing, and nothing is said of it.
  some.rbegin()->second.resize(some.rbegin()->second.size() - 1);
  sweep.store(some);
  const Outcome again = sweep.run({"--progress", "plain", "--shard", "0/1"});
  CHECK(again.code == 0);
  CHECK_THAT(again.err, Contains("3 points are there already") && Contains("6 of 6 points") &&
                            Contains("warning: " + (sweep.points / "00001.points").string() +
                                     ", byte 0: its bytes are not those") &&
                            Contains("it is computed again") && !Contains("cut short"));
  CHECK(sweep.stored().size() == 2);
  CHECK_THAT(sweep.run().err, Contains("6 points are there already") && !Contains("warning"));
  CHECK(slurp(sweep.result) == undisturbed());
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

TEST_CASE("a result of another experiment gives no points, and a sweep that is refused takes none") {
  const StoredSweep sweep, other;
  REQUIRE(sweep.run().code == 0);
  const Outcome noisy = other.run({"--set", "data.label_noise=0.1", "--reuse", sweep.result});
  CHECK(noisy.code == 0);
  CHECK_THAT(noisy.err, Contains("warning: --reuse: " + sweep.result + " has no point in common"));
  const StoredSweep symmetric, grown;
  REQUIRE(symmetric.run({"--set", "sweep.run.engine=[\"symmetric\"]"}).code == 0);
  const Outcome refused =
      grown.run({"--set", "sweep.run.engine=[\"symmetric\", \"columns\"]", "--reuse", symmetric.result});
  CHECK_THAT(refused.err, Contains("muon couples the columns"));
  CHECK(refused.code == 2);
  CHECK(grown.folder.entries() == 1);
}

TEST_CASE("what cannot be taken apart is refused, and nothing is written") {
  const StoredSweep single(single_run), sweep;
  REQUIRE(single.run().code == 0);
  CHECK_THAT(sweep.run({"--reuse", single.result}).err, Contains("not the result of a sweep"));
  CHECK(sweep.run({"--reuse", sweep.experiment}).code == 4);
  CHECK(sweep.run({"--reuse", "none.h5"}).code == 3);
  CHECK(sweep.folder.entries() == 1);
  single.forget_result();
  CHECK_THAT(single.run({"--reuse", single.result}).err, Contains("no [sweep]"));
}

TEST_CASE("shards compute every point once, in any order, and merge gives the bytes of a run") {
  for (const int shards : {1, 2, 4, 7}) {
    const StoredSweep sweep;
    std::size_t computed = 0;
    for (int i = shards; i-- > 0;) {
      const Outcome early = sweep.call("merge");
      CHECK(early.code == 4);
      const Outcome part = sweep.run({"--shard", std::to_string(i) + "/" + std::to_string(shards)});
      CHECK(part.code == 0);
      CHECK(part.out.empty());
      CHECK_FALSE(std::filesystem::exists(sweep.result));
      const std::size_t stored = sweep.records().size();
      CHECK(stored - computed <= static_cast<std::size_t>(6 / shards + 1));
      computed = stored;
    }
    CHECK(computed == 6);
    const Outcome merged = sweep.call("merge");
    CHECK(merged.code == 0);
    CHECK_THAT(merged.out, Contains("result: " + sweep.result));
    CHECK(slurp(sweep.result) == undisturbed());
    CHECK_THAT(sweep.call("merge").err, Contains("nothing to do"));
  }
}

TEST_CASE("merge lists missing and damaged points with their parameters, writes nothing and ends with 4") {
  const StoredSweep sweep;
  REQUIRE(sweep.run({"--shard", "0/1"}).code == 0);
  auto some = sweep.records();
  some.erase(some.begin());
  some.begin()->second[200] ^= 1;
  sweep.store(some);
  const Outcome holes = sweep.call("merge");
  CHECK(holes.code == 4);
  CHECK(holes.out.empty());
  CHECK_THAT(holes.err, Contains("of 6 points 1 are missing and 1 damaged") && Contains("): missing\n") &&
                            Contains("): damaged: " + (sweep.points / "00001.points").string()) &&
                            Contains("(classes.exponent = ") && Contains("rarefact run"));
  CHECK_FALSE(std::filesystem::exists(sweep.result));
  const StoredSweep empty;
  const Outcome none = empty.call("merge", {"--set", "sweep.seed={range=[0, 10]}"});
  CHECK(none.code == 4);
  CHECK_THAT(none.err, Contains("60 are missing") && Contains("point 19 ") && !Contains("point 20 ") &&
                           Contains("and 40 more"));
  CHECK(empty.folder.entries() == 1);
}

TEST_CASE("status counts done, failed, running, missing and damaged points") {
  const std::string diverging = R"(name = "d"
[classes]
spectrum = "uniform"
count = 4
[run]
steps = 50
[[optimizer]]
rule = "momentum"
step_size = 1
[sweep]
optimizer.momentum.step_size = [1, 1e308, 2, 3, 4]
)";
  const StoredSweep sweep(diverging);
  CHECK_THAT(sweep.call("status").out, Contains("points   5\ndone     0\nfailed   0\nrunning  0\nmissing  5\n"
                                                "damaged  0\n") &&
                                           Contains("(not there yet)"));
  CHECK(sweep.folder.entries() == 1);
  REQUIRE(sweep.run({"--shard", "0/1"}).code == 0);
  auto points = sweep.records();
  REQUIRE(sweep.call("merge").code == 0);
  const Outcome all = sweep.call("status");
  CHECK(all.code == 0);
  CHECK_THAT(all.out, Contains("done     4\nfailed   1 (1 diverged)\nrunning  0\nmissing  0\ndamaged  0\n") &&
                          Contains("e.h5 (there)"));
  CHECK_THAT(sweep.call("status", {"--set", "sweep.seed=[1, 2]"}).out,
             Contains("points   10\ndone     0\n") && Contains("missing  10\n") &&
                 Contains("(of a different experiment)"));
  sweep.forget_result();
  std::filesystem::create_directories(sweep.points);
  const PointId computed = *point_named(points.begin()->first);
  points.erase(points.begin());
  points.erase(points.begin());
  points.begin()->second[200] ^= 1;
  sweep.store(points);
  PointClaims claims(sweep.points, PointClaims::Use::take);
  CHECK(claims.take(computed));
  const Outcome some = sweep.call("status");
  CHECK_THAT(some.out, Contains("running  1\nmissing  1\ndamaged  1\n"));
  CHECK_THAT(some.err, Contains("damaged: " + (sweep.points / "00001.points").string()));
}

TEST_CASE("shards, merge and times that make no sense end with 2 and write nothing") {
  const StoredSweep sweep;
  for (const auto& [option, value] :
       {std::pair{"--shard", "2/2"}, {"--shard", "slurm"}, {"--max-time", "90"}, {"--checkpoint", "never"}}) {
    const Outcome outcome = sweep.run({option, value});
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains(option + std::string(": got \"") + value) || Contains("SLURM_ARRAY"));
  }
  CHECK(sweep.folder.entries() == 1);
  const StoredSweep single(single_run);
  CHECK_THAT(single.run({"--shard", "0/1"}).err, Contains("no [sweep]"));
  CHECK(single.run({"--shard", "0/1"}).code == 2);
  CHECK(single.call("merge").code == 2);
  CHECK_THAT(single.call("status").out, Contains("not there yet"));
  CHECK(single.folder.entries() == 1);
}

TEST_CASE("two experiments into one output: the second is refused, whether before or at its end") {
  const StoredSweep sweep;
  REQUIRE(sweep.run({"--shard", "0/1"}).code == 0);
  REQUIRE(sweep.run({"--shard", "0/1", "--set", "run.steps=31"}).code == 0);
  CHECK(sweep.records().size() == 12);
  REQUIRE(sweep.call("merge").code == 0);
  CHECK(sweep.records().size() == 6);  // those of the other one stay
  for (const char* command : {"run", "merge"}) {
    const Outcome other = sweep.call(command, {"--set", "run.steps=31"});
    CHECK(other.code == 2);
    CHECK_THAT(other.err, Contains("different experiment"));
  }
  CHECK(slurp(sweep.result) == undisturbed());
}
