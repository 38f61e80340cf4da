#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "cli/one_run.hpp"
#include "results/sample_result.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

/// Two results that differ as `change` says.
struct TwoResults {
  template <class Change>
  explicit TwoResults(const Change& change) {
    Result result = sample_result();
    write_result(result, first);
    change(result);
    write_result(result, second);
  }
  Outcome diff(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"diff", first, second});
    return rarefact_program(more);
  }
  ScratchFolder folder;
  std::string first = (folder / "a.h5").string(), second = (folder / "b.h5").string();
};

}  // namespace

TEST_CASE("results with the same values are equal, whatever they are called and what computed them") {
  const TwoResults two([](Result& result) {
    result.title = "other";
    result.experiment += "\n# other\n";
    result.runs[0].trajectories[0].engine = "dense";
  });
  const Outcome diff = two.diff();
  CHECK(diff.code == 0);
  CHECK_THAT(diff.out, Catch::StartsWith("equal: all "));
}

TEST_CASE("a number that differs is named with its place, and a tolerance lets it pass") {
  const TwoResults two([](Result& result) { result.runs[0].trajectories[0].series["loss"][1] *= 1 + 1e-6; });
  const Outcome diff = two.diff();
  CHECK(diff.code == 1);
  CHECK_THAT(diff.out, Contains("loss") && Contains("1e-06") && Contains("run 0, optimizer muon, step 1"));
  CHECK(two.diff({"--rtol", "1e-5"}).code == 0);
  CHECK(two.diff({"--rtol", "1e-7"}).code == 1);
  const auto json = nlohmann::json::parse(two.diff({"--json"}).out);
  CHECK(json["equal"] == false);
  REQUIRE(json["differences"].size() == 1);
  CHECK(json["differences"][0]["at"]["step"] == 1);
}

TEST_CASE("a number against none, a status, a variable and a step more are differences") {
  CHECK(TwoResults([](Result& result) {
          result.runs[0].trajectories[0].series["loss"][1] = std::numeric_limits<double>::quiet_NaN();
        })
            .diff({"--rtol", "1"})
            .code == 1);
  CHECK_THAT(
      TwoResults([](Result& result) { result.runs[0].trajectories[0].status = "diverged"; }).diff().out,
      Contains("complete and diverged"));
  CHECK_THAT(TwoResults([](Result& result) {
               for (const char* name : {"more", "most"})
                 result.variables.push_back({.name = name, .long_name = name, .units = "1"});
             })
                 .diff()
                 .out,
             Contains("b.h5 alone: more, most\n") && !Contains("a.h5 alone"));
  CHECK_THAT(TwoResults([](Result& result) { result.steps.back() += 1; }).diff().out,
             Contains("the recorded steps differ"));
}

TEST_CASE("one file, a third one and a tolerance below 0 are refused") {
  const TwoResults two([](Result&) {});
  for (const auto& words :
       std::vector<std::vector<std::string>>{{"diff", two.first},
                                             {"diff", two.first, two.first, two.first},
                                             {"diff", two.first, two.second, "--rtol", "-1"},
                                             {"diff", two.first, two.second, "--rtol", "x"}})
    CHECK(rarefact_program(words).code == 2);
  CHECK(rarefact_program({"diff", two.first, "none.h5"}).code == 3);
}
