#include <catch2/catch.hpp>

#include "experiment/read.hpp"
#include "experiment/write.hpp"
#include "rarefact/error.hpp"

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
const std::string facts = "[model]\nloss = \"least_squares\"\n";

/// The messages, one line each.
std::string problems(const std::string& base, const std::vector<std::string>& overrides) {
  try {
    parse_experiment("name = \"it\"\n" + base + softmax.substr(softmax.find('[')), "it.toml", overrides);
  } catch (const InputError& error) {
    std::string all;
    for (const Problem& one : error.problems()) all += one.message + "\n";
    return all;
  }
  return "";
}

}  // namespace

TEST_CASE("keys of least squares are refused beside the softmax") {
  for (const char* key :
       {"model.measurement=bilinear", "data.queries=gaussian", "data.query_scale=2", "data.query_noise=1",
        "data.answer_noise=1", "target.directions=random", "target.exponent=1"}) {
    CAPTURE(key);
    CHECK(problems("", {key}).find("least_squares") != std::string::npos);
  }
}

TEST_CASE("keys of the softmax, and of the other kind of queries, are refused beside least squares") {
  for (const char* key :
       {"run.rho_epsilon=0.1", "run.precision=50", "data.recovered=removed", "answers.law=modulo"}) {
    CAPTURE(key);
    CHECK(problems(facts, {key}).find("of the softmax") != std::string::npos);
  }
  for (const char* key : {"model.measurement=bilinear", "data.answer_noise=1", "target.directions=random",
                          "target.exponent=1"}) {
    CAPTURE(key);
    CHECK(problems(facts, {key}).find("of Gaussian queries") != std::string::npos);
    CHECK(problems(facts, {key, "data.queries=gaussian"}).empty());
  }
  CHECK(problems(facts, {"data.queries=gaussian", "data.label_noise=0.1"}).find("facts") !=
        std::string::npos);
  CHECK(problems(facts, {"data.queries=gaussian", "data.query_scale=2"}).find("facts") != std::string::npos);
  CHECK(problems(facts, {"optimizer.gd.step_size={search = [0.1, 1, 3], minimise = \"error\"}"})
            .find("has no error") != std::string::npos);
  CHECK(problems(facts, {"data.query_scale=0"}).find("data.query_scale") != std::string::npos);
  CHECK(problems(facts, {"data.query_noise=-1"}).find("data.query_noise") != std::string::npos);
  CHECK(problems(facts, {"model.loss=hinge"}).find("model.loss") != std::string::npos);
  CHECK(problems(facts, {"sweep.model.loss=[\"softmax\", \"least_squares\"]"}) != "");
}

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
