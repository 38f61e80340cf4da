#include <catch2/catch.hpp>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/stored_sweep.hpp"

using namespace rarefact;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace {

/// Every line, which must be an event.
std::vector<Json> events(const std::string& text) {
  std::vector<Json> all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) all.push_back(Json::parse(line));
  return all;
}

/// Stands for what is piped into the program.
struct StandardInput {
  explicit StandardInput(const std::string& text) : text_(text) {}
  ~StandardInput() { std::cin.rdbuf(before_); }
  std::istringstream text_;
  std::streambuf* before_ = std::cin.rdbuf(text_.rdbuf());
};

}  // namespace

TEST_CASE("a sweep tells its plan, how far it is and its end, one event a line") {
  const StoredSweep sweep;
  const Outcome run = sweep.run({"--progress", "json"});
  const std::vector<Json> told = events(run.err);
  CHECK(run.code == 0);
  CHECK(told.front() ==
        Json::parse(R"({"event":"plan","output":")" + sweep.result + R"(","points":6,"share":6,"done":0,
        "axes":[{"keys":["classes.exponent"],"size":3},{"keys":["embedding.kind"],"size":2}],
        "engines":{"gd":{"columns":6},"muon":{"symmetric":6}}})"));
  CHECK(told[told.size() - 2] ==
        Json::parse(R"({"event":"progress","points":6,"done":6,"running":0,"seconds_left":0.0})"));
  CHECK(told.back() == Json({{"event", "end"}, {"output", sweep.result}, {"code", 0}}));
  const std::vector<Json> again = events(sweep.run({"--progress", "json"}).err);
  REQUIRE(again.size() == 2);
  CHECK(again[0]["event"] == "note");
  CHECK_THAT(again[0]["message"].get<std::string>(), Contains("nothing to do"));
}

TEST_CASE("a run from standard input is the run of the file, and its mistakes have place, key and hint") {
  const StoredSweep file(single_run), piped(single_run);
  file.run();
  {
    const StandardInput input(single_run);
    CHECK(rarefact_program({"run", "-", "-o", piped.result, "--progress", "none"}).code == 0);
  }
  CHECK(slurp(file.result) == slurp(piped.result));
  const StandardInput input("name = 'x'\n[run]\nstepz = 3\n[classes]\nspectrum = 'uniform'\ncount = 0\n" +
                            std::string("[[optimizer]]\nrule = 'gd'\nlearning_rate = 1\n"));
  const Outcome wrong = rarefact_program({"run", "-", "--progress", "json"});
  CHECK(wrong.code == 2);
  CHECK(wrong.out.empty());
  const Json error = Json::parse(wrong.err);
  CHECK(error["code"] == 2);
  REQUIRE(error["problems"].size() >= 3);
  const Json& first = error["problems"][0];
  CHECK(first["file"] == "standard input");
  CHECK(first["line"] == 3);
  CHECK(first["column"] == 1);
  CHECK(first["key"] == "run.stepz");
  CHECK(first["hint"] == "steps");
  CHECK(error["problems"][1]["key"] == "classes.count");
  CHECK_THAT(error.dump(), Contains(R"("key":"optimizer.learning_rate","hint":"step_size")"));
}

TEST_CASE("the key and the hint of a mistake are data, whatever its message says") {
  const struct {
    std::string set, key, hint;
  } mistakes[] = {
      {"name='/did you mean this?'", "name", ""},
      {"run.engine=modes", "optimizer.gd.rule", ""},
      {"run.record={every=0}", "run.record.every", ""},
      {"optimizer.gd.step_size='2/p_mx'", "optimizer.gd.step_size", "p_max"},
      {"classes.path='none.tsv'", "classes.path", ""},
      {"sweep.run.steps=[1, 1]", "sweep.run.steps", ""},
      {"sweep.run.stepz=[1]", "sweep.run.stepz", "run.steps"},
      {"sweep.run.steps=[0]", "run.steps", ""},
  };
  for (const auto& [set, key, hint] : mistakes) {
    INFO(set);
    const bool file = set.starts_with("classes.path");
    const StandardInput input(
        "name = 'x'\n[run]\nsteps = 3\n[[optimizer]]\nrule = 'gd'\nstep_size = 1\n[classes]\n" +
        std::string(file ? "spectrum = 'file'" : "spectrum = 'uniform'\ncount = 4\n"));
    const Json error = Json::parse(rarefact_program({"run", "-", "--set", set, "--progress", "json"}).err);
    REQUIRE(error["problems"].size() == 1);
    CHECK(error["problems"][0].value("key", "") == key);
    CHECK(error["problems"][0].value("hint", "") == hint);
  }
}

TEST_CASE("every command that has --json prints one value, and refuses in JSON, too") {
  const StoredSweep sweep;
  sweep.run({"--progress", "none"});
  const std::vector<std::vector<std::string>> calls = {
      {"info", sweep.result, "--json"},
      {"status", sweep.experiment, "-o", sweep.result, "--json"},
      {"list", "--json"},
      {"list", "theorems", "--json"},
      {"list", "metrics", "--json"},
      {"explain", "--json"},
      {"explain", "run", "--json"},
      {"explain", "run.steps", "--json"},
      {"check", sweep.result, "--json"},
      {"verify", "--list", "--json"},
      {"run", sweep.experiment, "--dry-run", "--json"},
      {"verify", "wang2025/one-step-gd", "--quick", "--json"}};
  for (const auto& words : calls) {
    INFO(words[0] << " " << words[1]);
    const Outcome done = rarefact_program(words);
    CHECK(done.code == 0);
    CHECK(!Json::parse(done.out).empty());
  }
  for (const auto& [code, words] : std::vector<std::pair<int, std::vector<std::string>>>{
           {3, {"info", "none.h5", "--json"}},
           {2, {"list", "optimisers", "--json"}},
           {2, {"explain", "run.stepz", "--json"}},
           {3, {"status", "none.toml", "--json"}},
           {3, {"run", "none.toml", "--progress", "json"}},
           // A folder cannot be made where a file is; no event comes before the error.
           {3, {"run", sweep.experiment, "-o", sweep.experiment + "/x.h5", "--progress", "json"}},
           {2, {"verify", "--list", "kim/*", "--json"}},
           {2, {"info", sweep.result, "--json", "--jsn"}}}) {
    INFO(words[0]);
    const Outcome done = rarefact_program(words);
    CHECK(done.code == code);
    CHECK(done.out.empty());
    CHECK(Json::parse(done.err)["code"] == done.code);
  }
  CHECK(Json::parse(rarefact_program({"explain", "run", "--json"}).out)[0]["key"] == "run.steps");
  CHECK(Json::parse(rarefact_program({"explain", "lr", "--json"}).out)[0]["key"] == "optimizer.step_size");
  const Json info = Json::parse(rarefact_program(calls[0]).out);
  CHECK(info["swept"]["classes.exponent"] == Json({1.0, 1.0, 1.5, 1.5, 2.0, 2.0}));
  CHECK(info["runs"][5]["trajectories"][1]["engine"] == "symmetric");
  CHECK(info["runs"][0]["trajectories"][0]["loss"]["step"] == 30);
  const Json status = Json::parse(rarefact_program(calls[1]).out);
  CHECK(status["result"] == "there");
  CHECK(status["done"] == 6);
  const Json plan =
      Json::parse(rarefact_program({"run", sweep.experiment, "-o", "x.h5", "--dry-run", "--json"}).out);
  CHECK(plan["points"] == 6);
  CHECK(plan["seconds"] > 0);
  const Json finished = Json::parse(sweep.run({"--dry-run", "--json"}).out);
  for (const char* what : {"seconds", "memory_bytes"}) CHECK(finished[what] == 0);
  CHECK(rarefact_program({"run", sweep.experiment, "--json"}).code == 2);
}

TEST_CASE("rarefact explain --schema prints a JSON Schema of the whole file, not of a key") {
  CHECK(Json::parse(rarefact_program({"explain", "--schema"}).out)["properties"].contains("optimizer"));
  CHECK(rarefact_program({"explain", "--schema", "run"}).code == 2);
}

TEST_CASE("the points of a sweep that are there are joined, and the others have no numbers") {
  const StoredSweep sweep;
  sweep.run({"--shard", "0/3", "--progress", "none"});
  CHECK(sweep.call("merge", {"--partial"}).out ==
        "2 of 6 points: " + (sweep.points / "partial.h5").string() + "\n");
  const Json info =
      Json::parse(rarefact_program({"info", (sweep.points / "partial.h5").string(), "--json"}).out);
  int missing = 0;
  for (const Json& run : info["runs"]) {
    if (run["trajectories"][0]["status"] != "missing") continue;
    ++missing;
    CHECK(run["trajectories"][0]["loss"].is_null());
  }
  CHECK(missing == 4);
  CHECK(rarefact_program({"check", (sweep.points / "partial.h5").string()}).code == 0);
  // It never stands for the result.
  std::filesystem::copy(sweep.points / "partial.h5", sweep.result);
  CHECK(sweep.run().code == 2);
  const StoredSweep none;
  CHECK(none.call("merge", {"--partial"}).code == 4);
}

TEST_CASE("a point and a checkpoint are told from results") {
  const StoredSweep sweep;
  sweep.run({"--progress", "none", "--shard", "0/1"});
  for (const auto& [name, bytes] : sweep.stored()) {
    const Outcome info = rarefact_program({"info", (sweep.points / name).string()});
    CHECK(info.code == 2);
    CHECK_THAT(info.err, Contains("a finished point of a sweep"));
  }
}
