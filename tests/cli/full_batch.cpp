// experiments/replications/gaussian_full_batch.toml, cut down to a second.

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>

#include "experiment/read.hpp"
#include "reference/project_file.hpp"
#include "sim/simulate.hpp"

using namespace rarefact;

TEST_CASE("with full batches and tuned steps Muon stores more facts than dimensions, and more than Adam") {
  const std::string path = project_file("experiments/replications/gaussian_full_batch.toml");
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  const std::vector<std::string> smaller = {"classes.count=600", "embedding.dimension=32", "run.steps=40",
                                            "run.classes=[1, \"last\"]"};
  const Result result = simulate(parse_experiment(text.str(), path, smaller), {}, 1);
  const auto& all = result.runs.at(0).trajectories;
  REQUIRE(all.size() == 2);
  const auto last = [&](std::size_t o, const char* variable) { return all[o].series.at(variable).back(); };
  REQUIRE(all[0].optimizer == "adam");
  CHECK(last(1, "recovered_count") > 32);
  CHECK(last(1, "recovered_count") > 1.2 * last(0, "recovered_count"));
  CHECK(last(1, "loss") < last(0, "loss"));
}
