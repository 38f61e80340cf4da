#include <catch2/catch.hpp>

#include "experiment/plan.hpp"
#include "experiment/read.hpp"
#include "experiment/write.hpp"
#include "rarefact/error.hpp"

using namespace rarefact;

namespace {

std::string with_data(const std::string& data, const std::string& rest = "") {
  return "name = \"x\"\n[classes]\nspectrum = \"uniform\"\ncount = 8\n[data]\n" + data +
         "\n[[optimizer]]\nrule = \"gd\"\nstep_size = 1.0\n" + rest;
}

std::vector<std::string> problems(const std::string& data) {
  try {
    parse_experiment(with_data(data), "f.toml", {});
  } catch (const InputError& error) {
    std::vector<std::string> all;
    for (const Problem& problem : error.problems()) all.push_back(to_string(problem));
    return all;
  }
  return {};
}

}  // namespace

TEST_CASE("a minibatch or a dataset is read, written and read again") {
  for (const auto& [mode, key] : {std::pair{"minibatch", "batch"}, std::pair{"dataset", "size"}}) {
    const std::string data = std::string("mode = \"") + mode + "\"\n" + key + " = 1e3";
    const Experiment experiment = parse_experiment(with_data(data), "f.toml", {});
    CHECK(experiment.data_mode == mode);
    CHECK(experiment.sampled());
    CHECK(experiment.data_parameters.number(key) == 1000);
    const std::string text = to_toml(experiment);
    CHECK(text.find(std::string(key) + " = 1000") != std::string::npos);
    CHECK(parse_experiment(text, "f.toml", {}) == experiment);
    CHECK(parse_experiment(with_data(data), "f.toml", {std::string("data.") + key + "=7"})
              .data_parameters.number(key) == 7);
  }
  const Experiment population = parse_experiment(with_data(""), "f.toml", {});
  CHECK(!population.sampled());
  CHECK(to_toml(population).find("batch") == std::string::npos);
}

TEST_CASE("a batch of zero and other sizes that are none are refused with their place") {
  CHECK(problems("mode = \"minibatch\"\nbatch = 0") ==
        std::vector<std::string>{
            "f.toml:7:9: error: data.batch: got 0; expected a whole number in [1, 1e+09]"});
  CHECK(problems("mode = \"dataset\"\nsize = 0.5") ==
        std::vector<std::string>{
            "f.toml:7:8: error: data.size: got 0.5; expected a whole number in [1, 1e+09]"});
  CHECK(problems("mode = \"dataset\"\nsize = -3").size() == 1);
  CHECK(problems("mode = \"minibatch\"\nbatch = 2e9").size() == 1);
  CHECK(problems("mode = \"minibatch\"").front().find("data.batch is missing") != std::string::npos);
  CHECK(problems("batch = 5")
            .front()
            .find("f.toml:6:1: error: data.batch is a parameter of mode minibatch, not of population") == 0);
  CHECK(problems("mode = \"mini_batch\"\nbatch = 5").front().find("did you mean \"minibatch\"") !=
        std::string::npos);
}

TEST_CASE("a sweep goes over batch sizes, and over modes with the parameter of one of them") {
  const ExperimentPlan sizes =
      parse_plan(with_data("mode = \"minibatch\"", "[sweep]\n\"data.batch\" = [1, 10, 100]\n"), "f.toml", {});
  REQUIRE(sizes.size() == 3);
  CHECK(sizes.point(2).experiment.data_parameters.number("batch") == 100);
  const std::string sweep = "[sweep]\n\"data.mode\" = [\"population\", \"minibatch\"]\n";
  const ExperimentPlan modes = parse_plan(with_data("batch = 32", sweep), "f.toml", {});
  REQUIRE(modes.size() == 2);
  CHECK(modes.point(0).experiment.data_parameters == ParameterValues{});
  CHECK(modes.point(1).experiment.data_parameters.number("batch") == 32);
  const std::string text = resolved_text(modes);
  CHECK(resolved_text(parse_plan(text, "f.toml", {})) == text);
}
