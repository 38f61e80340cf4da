#include <catch2/catch.hpp>

#include "experiment/read.hpp"
#include "experiment/write.hpp"

using namespace rarefact;

namespace {

const std::string softmax = R"(
name = "it"
[classes]
spectrum = "power_law"
count = 4
exponent = 1
[[optimizer]]
rule = "gd"
step_size = 0.1
)";
}  // namespace

TEST_CASE("the text of an experiment has the keys of its loss, and no others") {
  const auto text = [](const std::vector<std::string>& overrides) {
    return to_toml(parse_experiment(softmax, "it.toml", overrides), {});
  };
  CHECK(text({}).find("model") == std::string::npos);
  CHECK(text({}).find("query_noise") == std::string::npos);
  const std::string of_facts = text({"model.loss=least_squares"});
  CHECK(of_facts.find("query_noise") != std::string::npos);
  CHECK(of_facts.find("[target]") == std::string::npos);
  const std::string gaussian =
      text({"model.loss=least_squares", "data.queries=gaussian", "target.exponent=0.5"});
  CHECK(gaussian.find("[target]") != std::string::npos);
  CHECK(to_toml(parse_experiment(gaussian, "it.toml"), {}) == gaussian);
}
