#include <catch2/catch.hpp>
#include <filesystem>

#include "cli/one_run.hpp"
#include "results/result_file.hpp"

using namespace rarefact;
using Catch::Contains;

namespace {

const char* const text = R"(name = "newton"
[classes]
spectrum = "power_law"
count = 10
exponent = 1.2
[embedding]
kind = "gaussian"
dimension = 4
[run]
steps = 3
[[optimizer]]
rule = "newton"
step_size = 0.1
)";

}  // namespace

TEST_CASE("a newton run says which engine holds it") {
  const OneRun place(text);
  const Outcome outcome = place.run({"optimizer.newton.damping=1e-4"});
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK_THAT(outcome.err, Contains("newton: engine dense") && Contains("the dense engine alone has"));
  CHECK_THAT(read_result(place.result).experiment, Contains("damping = 0.0001"));
}

TEST_CASE("newton on another engine, in 50 digits or with negative damping is bad input") {
  const OneRun place(text);
  for (const auto& [set, words] :
       {std::pair{"run.engine=symmetric", "not symmetric: newton solves with the Hessian"},
        std::pair{"run.engine=quadrature", "engines that can: dense"},
        std::pair{"run.precision=50", "newton solves with the Hessian"},
        std::pair{"optimizer.newton.damping=-1", "damping: got -1; expected a number >= 0"}}) {
    const Outcome outcome = place.run({set});
    CAPTURE(set, outcome.err);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, Contains(words));
    CHECK_FALSE(std::filesystem::exists(place.result));
  }
}
