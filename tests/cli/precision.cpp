#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "cli/in_process.hpp"
#include "io/scratch_folder.hpp"
#include "rarefact/io/result_file.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

struct Place {
  ScratchFolder folder;
  std::string experiment = (folder / "e.toml").string(), result = (folder / "e.h5").string();

  Place() {
    std::ofstream(experiment) << R"(name = "digits"
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
  }
  Outcome run(const std::string& set) const {
    return rarefact_program({"run", experiment, "-o", result, "--set", set, "--set", "run.precision=50"});
  }
};

}  // namespace

TEST_CASE("run.precision = 50 runs on the symmetric engine and is written into the result") {
  const Place place;
  const Outcome outcome = place.run("seed=1");
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK_THAT(outcome.err, Contains("gd: engine symmetric") && Contains("50 significant digits"));
  CHECK_THAT(read_result(place.result).experiment, Contains("precision = 50"));
}

TEST_CASE("50 digits on another engine, and any other number of digits, are bad input") {
  const Place place;
  const Outcome engine = place.run("run.engine=columns");
  CHECK(engine.code == 2);
  CHECK_THAT(engine.err, Contains("run.precision") && Contains("engines that can: symmetric"));
  const Outcome digits =
      rarefact_program({"run", place.experiment, "-o", place.result, "--set", "run.precision=17"});
  CHECK(digits.code == 2);
  CHECK_THAT(digits.err, Contains("run.precision: got 17; expected one of 16, 50"));
  CHECK_FALSE(std::filesystem::exists(place.result));
}
