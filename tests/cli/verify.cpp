#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "in_process.hpp"
#include "io/scratch_folder.hpp"

using namespace rarefact;
using Catch::Contains;

TEST_CASE("verify ID explains a check in full") {
  const Outcome outcome = rarefact_program({"verify", "wang2025/one-step-gd", "--quick"});
  CHECK(outcome.code == 0);
  for (const char* part : {"statement", "Theorem 5.3", "experiments/theorems/wang2025/one-step-gd.toml",
                           "hypotheses", "findings", "local slopes", "verdict: holds sharply"})
    CHECK_THAT(outcome.out, Contains(part));
  CHECK_THAT(outcome.err, Contains("wang2025/one-step-gd: holds sharply ("));
  CHECK(rarefact_program({"verify", "wang2025/one-step-gd", "--quick", "--jobs", "1"}).out == outcome.out);
}

TEST_CASE("verify ends with 1 when a check fails, as it does for a wrong update rule") {
  const Outcome outcome =
      rarefact_program({"verify", "wang2025/one-step-gd", "--quick", "--set", "optimizer.gd.rule=muon"});
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.out, Contains("verdict: fails"));
}

TEST_CASE("a report of verify is sound, but no result") {
  const ScratchFolder folder;
  const std::string report = folder / "r.h5";
  CHECK(rarefact_program({"verify", "wang2025/one-step-gd", "--quick", "-o", report}).code == 0);
  CHECK(rarefact_program({"check", report}).out == report + ": sound\n");
  for (const char* command : {"info", "table"}) {
    const Outcome outcome = rarefact_program({command, report});
    CHECK(outcome.code == 2);
    CHECK(outcome.err.starts_with("error: " + report + ": a report of rarefact verify, not a result; "));
  }
}

TEST_CASE("verify --sabotage says what a statement would not notice, and ends with 1 if there is anything") {
  const Outcome outcome = rarefact_program({"verify", "wang2025/one-step-gd", "--sabotage"});
  CHECK(outcome.code == 0);
  CHECK(outcome.out == "wang2025/one-step-gd: every change is noticed\n");
}

TEST_CASE("verify of an open conjecture ends with 0, says that it is open and passes nothing") {
  const Outcome outcome = rarefact_program({"verify", "kim2026/multi-step-exact", "--quick"});
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.err, Contains("kim2026/multi-step-exact: evidence only ("));
  CHECK_THAT(outcome.out, Contains("open conjecture") && Contains("verdict: evidence only") &&
                              !Contains("verdict: holds"));
}

TEST_CASE("evidence needs neither a relation nor seeds") {
  const ScratchFolder folder;
  std::ofstream(folder / "e.toml")
      << "name = 'e'\n[classes]\nspectrum = 'power_law'\ncount = 5\nexponent = 1.5\n[run]\nsteps = 2\n"
         "[[optimizer]]\nrule = 'gd'\nstep_size = 1\n[sweep]\nclasses.exponent = [1, 2]\n[claim]\ntitle = 't'\n"
         "[[claim.finding]]\nid = 'a'\ntext = 'x'\nmeasured = 'loss@gd'\nevidence = true\n"
         "[[claim.finding]]\nid = 'b'\ntext = 'x'\nmeasured = '5'\nevidence = true\n";
  const Outcome outcome = rarefact_program({"verify", folder / "e.toml"});
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK_THAT(outcome.out, Contains("one number, not over seeds") && Contains("verdict: evidence only"));
}

TEST_CASE("verify --list names every statement and runs nothing") {
  const Outcome outcome = rarefact_program({"verify", "--list"});
  CHECK(outcome.code == 0);
  CHECK(outcome.err.empty());
  CHECK_THAT(outcome.out, Contains("li2026/muon-noisy") && Contains("wang2025/singular-values"));
  CHECK_THAT(rarefact_program({"verify", "--list", "kim2026/*"}).out,
             Catch::StartsWith("kim2026/") && Contains("kim2026/multi-step-exact: ") &&
                 !Contains("li2026/muon-noisy: "));
}

TEST_CASE("verify: unknown ids are all named, each with the nearest, and nothing is run") {
  const Outcome outcome = rarefact_program({"verify", "wang2025/one-step-dg", "li2026/muon-nosy"});
  CHECK(outcome.code == 2);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, Contains("did you mean wang2025/one-step-gd?"));
  CHECK_THAT(outcome.err, Contains("did you mean li2026/muon-noisy?"));
}

TEST_CASE("verify refuses what it cannot do before it runs anything") {
  const ScratchFolder folder;
  const std::string other = (folder / "paper.tex").string();
  std::ofstream(other) << "\\documentclass{article}\n";
  const std::string id = "wang2025/one-step-gd";
  const auto refused = [](const std::vector<std::string>& words, const std::string& text) {
    const Outcome outcome = rarefact_program(words);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains(text));
    CHECK(outcome.out.empty());
  };
  refused({"verify", id, "--precision", "34"}, "--precision: got \"34\"; expected 16 or 50");
  refused({"verify", id, "--jobs", "0"}, "--jobs: got \"0\"; expected a whole number >= 1");
  refused({"verify", "--set", "seed=2"}, "--set: changes the experiments of the checks that are named");
  refused({"verify", id, "--set", "optimizer.gd.rule=muno"}, "did you mean \"muon\"?");
  refused({"verify", id, "--latex", other}, "exists and is not an earlier output of this kind");
  refused({"verify", id, "--latex", (folder / "t").string(), "--markdown", (folder / "t").string()},
          "is named for two outputs");
  refused({"verify", id, "-o", ""}, "--output: got an empty name");
  refused({"verify", id, "--quick", "--set", "optimizer.gd.name=foo"}, "cannot be judged on these runs");
  refused({"verify", "one-step-gd"}, "did you mean wang2025/one-step-gd?");
  refused({"verify", id, "-o", folder.operator/("").string()}, "is a folder");
  CHECK(folder.entries() == 1);
}

TEST_CASE("verify writes its table for a page and a paper, and all curves, and writes them again") {
  const ScratchFolder folder;
  const std::string md = (folder / "t.md").string(), tex = (folder / "t.tex").string(),
                    h5 = (folder / "r.h5").string();
  for (int again = 0; again < 2; ++again) {
    const Outcome outcome = rarefact_program(
        {"verify", "wang2025/one-step-gd", "--quick", "--markdown", md, "--latex", tex, "-o", h5});
    CHECK(outcome.code == 0);
  }
  std::string first;
  std::ifstream page(md);
  std::getline(page, first);
  CHECK_THAT(first,
             Catch::StartsWith("<!-- from rarefact verify by: rarefact verify wang2025/one-step-gd --quick"));
  CHECK(std::filesystem::exists(tex));
  CHECK(std::filesystem::exists(h5 + ".sha256"));
}

TEST_CASE(
    "a user's claim is verified like those of the catalogue, and its mistakes are said with their places") {
  const ScratchFolder folder;
  const auto verified = [&](const std::string& measured, const std::vector<std::string>& more = {}) {
    std::ofstream(folder / "mine.toml")
        << "name = \"mine\"\n[classes]\nspectrum = \"uniform\"\ncount = 4\n[run]\nsteps = 2\n[[optimizer]]\n"
           "rule = \"gd\"\nstep_size = 1.0\n[claim]\nassumes = [\"no_momentum\"]\n[[claim.finding]]\nid = \"a\"\n"
           "at = \"last\"\nmeasured = \""
        << measured << "\"\nat_most = 2\n";
    std::vector<std::string> words = {"verify", (folder / "mine.toml").string()};
    words.insert(words.end(), more.begin(), more.end());
    return rarefact_program(words);
  };
  const std::string md = (folder / "t.md").string(), tex = (folder / "t.tex").string();
  const Outcome good = verified("loss", {"--markdown", md, "--latex", tex, "--json"});
  CHECK(good.code == 0);
  CHECK_THAT(good.out, Contains("\"verdict\": \"holds\""));
  CHECK_THAT(slurp(md), Contains("| mine  | mine      |        | holds   | a        | "));
  CHECK_THAT(slurp(tex), Contains("\\bottomrule"));
  CHECK(verified("loss + 9").code == 1);
  for (const auto& [measured, message] : std::vector<std::pair<std::string, std::string>>{
           {"1 + los",
            "mine.toml:15:17: error: claim, measured: unknown name \"los\"; did you mean \"loss\"?"},
           {"weight_stable_rnk", "did you mean \"weight_stable_rank\"?"},
           {"at(loss, 7)", "no run has a record at step 7"},
           {"slope(loss, step, step)", "an exponent needs at least three points"},
           {"los\"\nat_most = 1\n[[claim.finding]]\nid = \"b\"\nmeasured = \"los",
            "mine.toml:19:13: error: claim, measured"},
           {"loss\"\n[claim.quick]\nrun.steps = 1\n[claim.precise]\n\"run.stepz\" = \"3",
            "mine.toml:19:1: error: unknown key \"run.stepz\""},
           {"loss\"\n[claim.quick]\nrun.stepz = \"3", "mine.toml:17:5: error: unknown key \"run.stepz\""}}) {
    const Outcome outcome = verified(measured, {"-o", (folder / "r.h5").string()});
    CAPTURE(measured);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains(message));
    CHECK_FALSE(std::filesystem::exists(folder / "r.h5"));
  }
}
