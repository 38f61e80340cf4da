#include <catch2/catch.hpp>

#include "experiment/plan.hpp"
#include "experiment/read.hpp"
#include "experiment/write.hpp"

using namespace rarefact;

namespace {

std::string with_muon(const std::string& parameters) {
  return "name = \"x\"\n[classes]\nspectrum = \"uniform\"\ncount = 4\n[run]\nsteps = 2\n[[optimizer]]\n"
         "rule = \"muon\"\nstep_size = 1\n" +
         parameters;
}

ParameterValues read(const std::string& parameters) {
  return parse_experiment(with_muon(parameters), "x.toml").optimizers.front().parameters;
}

/// All that is said of bad parameters.
std::string complaint(const std::string& parameters) {
  try {
    parse_experiment(with_muon(parameters), "x.toml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("muon's polar factor is a name or a list of triples, and is written as it is read") {
  CHECK(read("").text("polar") == "exact");
  CHECK_FALSE(read("").has("polar_steps"));
  CHECK(read("polar = \"newton_schulz\"\npolar_steps = 7").integer("polar_steps") == 7);
  const std::vector<double> list = {2, -1.5, 0.5, 1.875, -1.25, 0.375};
  CHECK(read("polar = [[2, -1.5, 0.5], [1.875, -1.25, 0.375]]").numbers("polar") == list);
  const Experiment e =
      parse_experiment(with_muon("polar = [[2, -1.5, 0.5], [1.875, -1.25, 0.375]]"), "x.toml");
  CHECK(says(to_toml(e), "polar = [[2.0, -1.5, 0.5], [1.875, -1.25, 0.375]]\n"));
  CHECK(parse_experiment(to_toml(e), "x.toml").optimizers == e.optimizers);
}

TEST_CASE("an axis may hold names and lists of triples") {
  const ExperimentPlan plan = parse_plan(
      with_muon("") + "[sweep]\n\"optimizer.muon.polar\" = [\"exact\", [[1.5, -0.5, 0]]]\n", "x.toml", {});
  REQUIRE(plan.size() == 2);
  CHECK(plan.point(0).experiment.optimizers[0].parameters.text("polar") == "exact");
  CHECK(plan.point(1).experiment.optimizers[0].parameters.numbers("polar") ==
        std::vector<double>{1.5, -0.5, 0});
}

TEST_CASE("bad parameters of muon are refused with what is allowed and the nearest name") {
  const std::string unknown = complaint("polar = \"newton_shulz\"");
  CHECK(says(unknown, "x.toml:10:9: error: optimizer.polar: got the text \"newton_shulz\""));
  CHECK(says(unknown, "one of exact, newton_schulz, polar_express, or a list of triples"));
  CHECK(says(unknown, "did you mean \"newton_schulz\"?"));
  CHECK(says(complaint("polar = [[1, 2]]"), "expected one of exact"));
  CHECK(says(complaint("polar = []"), "expected one of exact"));
  CHECK(says(complaint("polar = [1, 2, 3]"), "expected one of exact"));
  CHECK(says(complaint("polar = [[1, 2, \"3\"]]"), "expected one of exact"));
  CHECK(says(complaint("smoothing = -0.1"), "x.toml:10:13: error: optimizer.smoothing: got -0.1"));
  CHECK(says(complaint("polar = \"newton_schulz\"\npolar_steps = 0"), "optimizer.polar_steps: got 0"));
  CHECK(says(complaint("polar_steps = 5"), "the exact polar factor has no steps"));
  CHECK(says(complaint("polar_delta = 1e-9"), "the exact polar factor has no δ"));
  CHECK(says(complaint("polar = \"polar_express\"\nsmoothing = 0.1"),
             "x.toml:7:1: error: [[optimizer]]: smoothing"));
  CHECK(says(complaint("momentum_kind = \"mean\""), "one of sum, average"));
  CHECK(says(complaint("lr_scale = \"orignal\""), "did you mean \"original\"?"));
}
