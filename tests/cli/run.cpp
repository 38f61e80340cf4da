#include <catch2/catch.hpp>
#include <chrono>

#include "cli/stored_sweep.hpp"
#include "experiment/plan.hpp"
#include "experiment/read.hpp"
#include "experiment/write.hpp"
#include "results/result_file.hpp"
#include "tables/summary.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

const std::string small = R"(name = "small"
[classes]
spectrum = "two_level"
count = 10
head_fraction = 0.2
head_mass = 0.8
[run]
steps = 12
[[optimizer]]
rule = "gd"
step_size = 2.0
[[optimizer]]
rule = "muon"
step_size = 0.5
)";

}  // namespace

TEST_CASE(
    "run writes the result, and prints engines on stderr, the closing table and the path on stdout; again it "
    "computes nothing") {
  const StoredSweep place(small);
  const Outcome outcome = place.run();
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  const Result result = read_result(place.result);
  CHECK(outcome.out == ClosingReport(result).table() + "result: " + place.result + "\n");
  CHECK_THAT(outcome.err, Contains("gd: engine columns") && Contains("muon: engine symmetric"));
  CHECK_THAT(outcome.err, !Contains("step 1"));  // no progress where stderr is no terminal
  CHECK(result.title == "small");
  CHECK(result.experiment == to_toml(read_plan(place.experiment).point(0).experiment));
  CHECK(has_checksum(place.result));
  const auto written = std::filesystem::last_write_time(place.result);
  const Outcome second = place.run();
  CHECK(second.code == 0);
  CHECK(second.out == outcome.out);
  CHECK_THAT(second.err, Contains("there already; nothing to do") && !Contains("engine"));
  CHECK(std::filesystem::last_write_time(place.result) == written);
}

TEST_CASE(
    "the option --dry-run prints the experiment with its defaults and the engines, and writes nothing") {
  const StoredSweep place(small);
  const Outcome dry = place.run({"--dry-run", "--set", "run.steps=7"});
  CHECK(dry.code == 0);
  CHECK_THAT(dry.out, Contains("# gd: answers: turn with rotations") && Contains("# gd: engine columns, ") &&
                          Contains("# muon: engine symmetric, ") && Contains("# time: about 0.1 s on ") &&
                          Contains("; memory: at most about "));
  CHECK(parse_experiment(dry.out, place.experiment) ==
        read_plan(place.experiment, {"run.steps=7"}).point(0).experiment);
  CHECK(place.folder.entries() == 1);
}

TEST_CASE("bad input ends with 2, every problem with its place, and writes nothing") {
  struct Case {
    std::string text;
    std::vector<std::string> words, says;
  };
  const std::vector<Case> cases = {
      {small + "beta1 = 3\n[data]\nlabel_noise = 2\n",
       {},
       {"e.toml:15:1: error: optimizer.beta1", "e.toml:17:15: error"}},
      {small, {"--set", "run.steps=0"}, {"--set run.steps=0: error: run.steps: got 0"}},
      {small,
       {"--set", "optimizer.gd.step_size='1/0'"},
       {"--set optimizer.gd.step_size='1/0': error: optimizer 'gd'"}},
      {small,
       {"--set", "embedding.kind=gaussian"},
       {"--set embedding.kind=gaussian: error: embedding.dimension"}},
      {small, {"--set", "embedding.block=3"}, {"--set embedding.block=3: error: "}},
      {small,
       {"--set", "run.arithmetic=single"},
       {"--set run.arithmetic=single: error: optimizer 'gd'", "products with embeddings, and here are none"}},
      {small, {"--set", "run.engine=columns"}, {"e.toml:13:8: error: optimizer 'muon'", "columns"}},
      {small,
       {"--set", "classes.count=1e7", "--set", "run.engine=dense"},
       {"e.toml:10:8: error: optimizer 'gd'", "e.toml:13:8: error: optimizer 'muon'",
        "of memory (allowed: "}},
      {small,
       {"--set", "classes.count=1e15", "--set", "run.classes=all"},
       {"e.toml:7:1: error: the recorded results", "memory"}},
      {small, {"--set", "classes.count=11"}, {"e.toml:2:1: error: [classes]: head_fraction"}},
      {"not toml", {}, {"e.toml:1:"}},
  };
  for (const Case& c : cases) {
    for (const bool dry : {false, true}) {
      const StoredSweep place(c.text);
      auto words = c.words;
      if (dry) words.push_back("--dry-run");
      const Outcome outcome = place.run(words);
      INFO(outcome.err);
      CHECK(outcome.code == 2);
      CHECK(outcome.out.empty());
      for (const std::string& part : c.says) CHECK_THAT(outcome.err, Contains(part));
      CHECK(place.folder.entries() == 1);
    }
  }
}

TEST_CASE("a diverged optimizer is kept and told of; with --strict the exit code is 1") {
  const StoredSweep place(
      "name = 'd'\n[classes]\nspectrum = 'uniform'\ncount = 4\n[run]\nsteps = 50\n[[optimizer]]\nrule = "
      "'momentum'\n"
      "step_size = 1e308\n");
  const Outcome strict = place.run({"--strict"});
  INFO(strict.err);
  CHECK(strict.code == 1);
  CHECK_THAT(strict.err, Contains("warning: momentum diverged after step"));
  CHECK(place.run().code == 0);
  CHECK(place.run({"--strict"}).code == 1);
}

TEST_CASE("plain progress is lines on stderr, the last one for the last step of every optimizer") {
  const StoredSweep place(small);
  const Outcome outcome = place.run({"--progress", "plain"});
  CHECK_THAT(outcome.err, Contains("gd: step 12 of 12\n") && Contains("muon: step 12 of 12\n"));
  const StoredSweep other(small);
  CHECK_THAT(other.run({"--progress", "none"}).err, !Contains("step 12"));
}

TEST_CASE("init writes a commented experiment that runs as it is in under a second") {
  const ScratchFolder folder;
  const std::string name = (folder / "first").string();
  const Outcome init = rarefact_program({"init", name});
  CHECK(init.code == 0);
  CHECK(init.out == name + ".toml\n");
  CHECK(read_plan(name + ".toml").point(0).experiment.name == "first");

  const auto start = std::chrono::steady_clock::now();
  const Outcome run = rarefact_program({"run", name + ".toml", "-o", name + ".h5"});
  CHECK(run.code == 0);
  // It takes 0.05 s; the margin is for sanitizers and busy machines.
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
}

TEST_CASE("init does not overwrite, and refuses names that no experiment can have") {
  const ScratchFolder folder;
  const std::string file = (folder / "mine.toml").string();
  std::ofstream(file) << "mine";
  const Outcome again = rarefact_program({"init", file});
  CHECK(again.code == 2);
  CHECK_THAT(again.err, Contains("is not overwritten"));
  CHECK(slurp(file) == "mine");
  CHECK(rarefact_program({"init", (folder / "a\"b").string()}).code == 2);
  CHECK(rarefact_program({"init", (folder / ".hidden").string()}).code == 2);
  CHECK_THAT(rarefact_program({"init", ""}).err,
             Contains("\"\" cannot be the name of an experiment: not empty"));
  CHECK(folder.entries() == 1);
}

TEST_CASE("check looks at every file and ends with the worst; info describes one") {
  const StoredSweep place(small);
  REQUIRE(place.run().code == 0);
  const Outcome sound = rarefact_program({"check", place.result});
  CHECK(sound.code == 0);
  CHECK(sound.out == place.result + ": sound\n");
  const Outcome mixed =
      rarefact_program({"check", (place.folder / "no.h5").string(), place.experiment, place.result});
  CHECK(mixed.code == 4);
  CHECK_THAT(mixed.out, Contains(place.experiment + ": damaged") && Contains(place.result + ": sound"));
  CHECK_THAT(mixed.err, Contains("no.h5"));
  const Outcome info = rarefact_program({"info", place.result});
  CHECK(info.code == 0);
  CHECK_THAT(info.out, Contains("small") && Contains("muon") && Contains("10 classes in 2 groups"));
}
