#include <catch2/catch.hpp>
#include <filesystem>

#include "cli/one_run.hpp"
#include "results/result_file.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

const char* const text = R"(name = "digits"
[classes]
spectrum = "two_level"
count = 10
head_fraction = 0.2
head_mass = 0.8
[run]
steps = 3
[[optimizer]]
rule = "gd"
step_size = 2.0
)";

}  // namespace

TEST_CASE("run.precision = 50 runs on the symmetric engine and is written into the result") {
  const OneRun place(text);
  const Outcome outcome = place.run({"seed=1", "run.precision=50"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK_THAT(outcome.err, Contains("gd: engine symmetric") && Contains("50 significant digits"));
  CHECK_THAT(read_result(place.result).experiment, Contains("precision = 50"));
}

TEST_CASE("50 digits on another engine, and any other number of digits, are bad input") {
  const OneRun place(text);
  const Outcome engine = place.run({"run.engine=columns", "run.precision=50"});
  CHECK(engine.code == 2);
  CHECK_THAT(engine.err, Contains("run.precision") && Contains("engines that can: symmetric"));
  const Outcome digits = place.run({"run.precision=17"});
  CHECK(digits.code == 2);
  CHECK_THAT(digits.err, Contains("run.precision: got 17; expected one of 16, 50"));
  CHECK_FALSE(std::filesystem::exists(place.result));
}
